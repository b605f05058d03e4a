import type { Entry } from '@throughline/protocol'
import type { ReplyPart } from '../cutting/reply-part.ts'
import { type ReplyEventsOptions, replyEvents } from './reply-events.ts'
import { endThinkTags, noThinkTags, stripThinkTags } from './think-tags.ts'

/**
 * First stage of a delivery: entries of the log become the text of one answer, with marks for what happens in between.
 * The last part is the mark of its end, unless the log ends before that. Deltas of one page come as one piece of text.
 * A file that comes again is left out.
 */
export async function* replyText(
  pages: AsyncIterable<readonly Entry[]>,
  options: ReplyEventsOptions,
): AsyncGenerator<ReplyPart, void, undefined> {
  const read = replyEvents(options)
  const text = new ShownText()
  const files = new Set<string>()
  for await (const page of pages) {
    for (const event of read(page)) {
      if (event.type === 'text') {
        text.add(event.text)
        continue
      }
      if (event.type === 'file' && files.has(event.url)) continue
      if (event.type === 'file') files.add(event.url)
      if (event.type === 'end') text.end()
      yield* text.take()
      yield { ...event, said: text.said }
      if (event.type === 'end') return
    }
    yield* text.take()
    yield { type: 'pause' }
  }
}

/** The text of an answer without what the model thinks. */
class ShownText {
  said = ''
  #tags = noThinkTags
  #added = ''

  add(piece: string): void {
    const { tags, text } = stripThinkTags(this.#tags, piece)
    this.#tags = tags
    this.#show(text)
  }

  /** No more text comes: what looked like the beginning of a tag was text. */
  end(): void {
    this.#show(endThinkTags(this.#tags).text)
    this.#tags = noThinkTags
  }

  /** What was added since the last call. */
  *take(): Generator<ReplyPart> {
    const text = this.#added
    this.#added = ''
    if (text !== '') yield { type: 'text', text }
  }

  #show(text: string): void {
    this.said += text
    this.#added += text
  }
}
