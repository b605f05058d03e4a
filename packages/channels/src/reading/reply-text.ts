import { type Chunk, type EndStatus, type Entry, isEndChunk, picturesIn } from '@throughline/protocol'
import { ApprovalReading } from './approval-reading.ts'
import type { ReplyMark, ReplyPart } from './reply-part.ts'

export interface ReplyTextOptions {
  /** Also reads the text of sub-agents: false. By default their text is for the agents that call them. */
  readonly isWithSubAgents?: boolean
}

/**
 * First stage of a delivery: entries of the log become the text of one answer, with marks for what happens in between.
 * The last part is the mark of its end, unless the log ends before that. Deltas of one page come as one piece of text.
 * A file that comes again is left out.
 */
export async function* replyText(
  pages: AsyncIterable<readonly Entry[]>,
  options: ReplyTextOptions,
): AsyncGenerator<ReplyPart, void, undefined> {
  const run = new RunReading(options)
  const text = new ShownText()
  const files = new Set<string>()
  for await (const page of pages) {
    for (const event of page.flatMap(entry => run.read(entry))) {
      if (event.type === 'text') {
        text.add(event.text)
        continue
      }
      if (event.type === 'file' && files.has(event.url)) continue
      if (event.type === 'file') files.add(event.url)
      yield* text.take()
      yield { ...event, said: text.said }
      if (event.type === 'end') return
    }
    yield* text.take()
    yield { type: 'pause' }
  }
}

/** The text of an answer so far. */
class ShownText {
  said = ''
  #added = ''

  add(text: string): void {
    this.said += text
    this.#added += text
  }

  /** What was added since the last call. */
  *take(): Generator<ReplyPart> {
    const text = this.#added
    this.#added = ''
    if (text !== '') yield { type: 'text', text }
  }
}

/** What one entry says to a channel. */
export type ReplyEvent = ReplyMark | { readonly type: 'text'; readonly text: string }

/**
 * Reads the entries of one run, one after the other: the text of its answer, and what happens between the texts. Two
 * texts are a blank line apart. After the event `end` it returns nothing more: what follows in the log belongs to
 * another run.
 */
export class RunReading {
  readonly #isWithSubAgents: boolean
  readonly #approvals = new ApprovalReading()
  #userMessageId: string | undefined
  #answerId: string | undefined
  #status: EndStatus | undefined
  #statusText: string | undefined
  /**
   * The message whose text is being written. Other messages wait until that text is complete, so no word is cut in
   * two.
   */
  #speaker: string | undefined
  #waiting: Pick<Entry, 'messageId' | 'chunk'>[] = []
  #hasText = false
  #isApart = false
  #isOver = false

  constructor({ isWithSubAgents = false }: ReplyTextOptions) {
    this.#isWithSubAgents = isWithSubAgents
  }

  read({ seq, runId, messageId, chunk }: Entry): readonly ReplyEvent[] {
    if (this.#isOver) return []
    if (chunk.type === 'data-message') this.#userMessageId = messageId
    if (chunk.type === 'start' && this.#answerId === undefined) {
      this.#answerId = messageId
      return [{ type: 'start', runId, userMessageId: this.#userMessageId }]
    }
    const approval = this.#approvals.read({ messageId, chunk })
    if (approval !== undefined) {
      // An approval does not wait for an open text: the time to decide is limited.
      return [{ type: 'approval', approval, isTextOpen: this.#speaker !== undefined }]
    }
    if (messageId !== this.#answerId) return this.#ofSubAgent({ messageId, chunk })
    this.#note(chunk)
    if (!isEndChunk(chunk)) return this.#content({ messageId, chunk })
    this.#isOver = true
    const end = { type: 'end', status: this.#status ?? 'finished', text: this.#statusText, seq } as const
    return [...this.#everythingWaiting(), end]
  }

  // Pictures from a sub-agent's tools are for the person, even if its text is not.
  #ofSubAgent(entry: Pick<Entry, 'messageId' | 'chunk'>): readonly ReplyEvent[] {
    const isForPerson = this.#isWithSubAgents || entry.chunk.type === 'tool-output-available'
    return isForPerson ? this.#content(entry) : []
  }

  #content({ messageId, chunk }: Pick<Entry, 'messageId' | 'chunk'>): readonly ReplyEvent[] {
    if (this.#speaker !== undefined && this.#speaker !== messageId) {
      this.#waiting.push({ messageId, chunk })
      return []
    }
    switch (chunk.type) {
      case 'text-start':
        this.#speaker = messageId
        this.#isApart = this.#hasText
        return []
      case 'text-delta':
        return chunk.delta === '' ? [] : [this.#text(chunk.delta)]
      case 'text-end':
        this.#speaker = undefined
        return this.#waited()
      case 'tool-input-available': {
        const { toolCallId, toolName, title, input } = chunk
        return [{ type: 'tool', toolCallId, name: title ?? toolName, input }]
      }
      case 'file':
        return [{ type: 'file', url: chunk.url }]
      case 'tool-output-available':
        if (chunk.preliminary === true) return []
        return picturesIn(chunk.output).map(url => ({ type: 'file', url }))
      default:
        return []
    }
  }

  #text(delta: string): ReplyEvent {
    const text = this.#isApart ? `\n\n${delta}` : delta
    this.#isApart = false
    this.#hasText = true
    return { type: 'text', text }
  }

  /** Reads what has waited. The first message among it that begins a text speaks next, and the others wait again. */
  #waited(): readonly ReplyEvent[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting.flatMap(entry => this.#content(entry))
  }

  #everythingWaiting(): readonly ReplyEvent[] {
    const events: ReplyEvent[] = []
    while (this.#waiting.length > 0) {
      this.#speaker = undefined
      events.push(...this.#waited())
    }
    return events
  }

  /** Remembers how the answer ends. The metadata tells, in the chunk that ends the answer or before it. */
  #note(chunk: Chunk): void {
    if (chunk.type === 'error') this.#status ??= 'failed'
    if (chunk.type === 'abort') this.#status ??= 'stopped'
    if (chunk.type === 'error') this.#statusText ??= chunk.errorText
    if (chunk.type !== 'message-metadata' && chunk.type !== 'finish') return
    const { status, statusText } = chunk.messageMetadata ?? {}
    if (isEndStatus(status)) this.#status = status
    this.#statusText = statusText ?? this.#statusText
  }
}

const endStatuses: ReadonlySet<unknown> = new Set(['finished', 'stopped', 'failed', 'interrupted', 'limit'])

function isEndStatus(value: unknown): value is EndStatus {
  return endStatuses.has(value)
}
