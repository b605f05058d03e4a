import { setImmediate } from 'node:timers/promises'
import { htmlTokens } from './html-tokens.ts'
import { PageReader, type PageText } from './page-reader.ts'
import { ReadableFilter } from './readable-filter.ts'
import { TagBalance } from './tag-balance.ts'
import { WebAccessError } from './web-access-error.ts'

export type HtmlOptions = {
  /** Where the page came from; links are relative to it. */
  readonly url: string
  readonly isXml?: boolean
  readonly signal?: AbortSignal | undefined
}

// A large page takes a second or more, and everyone else waits for the same thread: after so many tokens, which are
// some milliseconds, they have their turn.
const tokensPerTurn = 2_000

/** The text of a page with its headings, lists, links and tables as Markdown. Takes any string. */
export async function htmlToText(
  html: string,
  { url, isXml = false, signal }: HtmlOptions,
): Promise<PageText> {
  const balance = new TagBalance({ isXml })
  const filter = new ReadableFilter()
  const page = new PageReader(url)
  const read = (events: ReturnType<typeof balance.eventsOf>) => {
    for (const event of events) if (filter.passes(event)) page.read(event)
  }
  let tokens = 0
  for (const token of htmlTokens(html)) {
    read(balance.eventsOf(token))
    tokens += 1
    if (tokens % tokensPerTurn !== 0) continue
    await setImmediate()
    if (signal?.aborted) throw new WebAccessError('aborted', 'The request was stopped.')
  }
  read(balance.end())
  return page.finish()
}

/** The text between the tags, for short pieces such as a search engine's snippets. */
export function withoutTags(html: string): string {
  const pieces: string[] = []
  for (const token of htmlTokens(html)) if (token.type === 'text') pieces.push(token.text)
  return pieces.join('').replace(/\s+/g, ' ').trim()
}
