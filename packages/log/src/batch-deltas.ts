import type { Chunk } from '@throughline/protocol/chunk'
import type { EntryDraft } from '@throughline/protocol/entry'

export interface BatchOptions {
  readonly maxDelayMs?: number
  readonly maxChars?: number
  /** How many characters may wait for the log before `emit` waits too. */
  readonly maxWaitingChars?: number
}

/** Where a run puts its chunks on their way into the log. */
export interface Batch {
  /** Takes a chunk; resolves when there is room for the next. Rejects once a write has failed. */
  emit(draft: EntryDraft): Promise<void>
  /** Resolves when everything emitted so far is in the log. */
  flush(): Promise<void>
}

/**
 * Joins deltas of one part that come close together: a delta is written when 10 characters or 50 ms have
 * gathered, a part's first delta at once, and everything that waits goes before any other chunk. One write
 * is in flight at a time; what comes meanwhile makes up the next. Chunks of one part never change order,
 * and no delta crosses a chunk that is not a delta.
 */
export function batchDeltas(
  append: (drafts: readonly EntryDraft[]) => Promise<unknown>,
  options: BatchOptions = {},
): Batch {
  return new DeltaBatch(append, options)
}

/** Deltas of one part, joined. */
interface Waiting {
  /** The one whose other fields stand. */
  draft: EntryDraft
  text: string
  isDue: boolean
}

class DeltaBatch implements Batch {
  readonly #append: (drafts: readonly EntryDraft[]) => Promise<unknown>
  readonly #options: Required<BatchOptions>
  /** Ready to be written, in order; all of it goes before whatever waits. */
  #queue: EntryDraft[] = []
  readonly #waiting = new Map<string, Waiting>()
  #waitingChars = 0
  #queuedChars = 0
  /** Parts whose first delta has been seen. */
  readonly #begun = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(append: (drafts: readonly EntryDraft[]) => Promise<unknown>, options: BatchOptions) {
    this.#append = append
    this.#options = { maxDelayMs: 50, maxChars: 10, maxWaitingChars: 64 * 1024, ...options }
  }

  emit(draft: EntryDraft): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const delta = deltaOf(draft)
    if (delta === undefined) this.#addOther(draft)
    else this.#addDelta(draft, delta)
    this.#write()
    return this.#writing !== undefined && this.#isFull() ? this.#untilRoom() : hasRoom
  }

  async flush(): Promise<void> {
    this.#queueWaiting(() => true)
    this.#write()
    while (this.#writing !== undefined) await this.#writing
    this.#assertWritable()
  }

  async #untilRoom(): Promise<void> {
    while (this.#writing !== undefined && this.#isFull()) await this.#writing
    this.#assertWritable()
  }

  #addDelta(draft: EntryDraft, { part, text }: Delta): void {
    const waiting = this.#waiting.get(part) ?? { draft, text: '', isDue: !this.#begun.has(part) }
    this.#begun.add(part)
    this.#waiting.set(part, waiting)
    // The newest metadata wins, as it would if every delta were folded alone.
    if ('providerMetadata' in draft.chunk) waiting.draft = draft
    waiting.text += text
    waiting.isDue ||= waiting.text.length >= this.#options.maxChars
    this.#waitingChars += text.length
    if (!waiting.isDue) this.#timer ??= setTimeout(() => this.#tick(), this.#options.maxDelayMs)
  }

  #addOther(draft: EntryDraft): void {
    this.#queueWaiting(() => true)
    this.#queue.push(draft)
    // A part begins or ends here. Its id may be used again, and then has a first delta again.
    const part = partOf(draft)
    if (part !== undefined) this.#begun.delete(part)
  }

  #tick(): void {
    this.#timer = undefined
    for (const waiting of this.#waiting.values()) waiting.isDue = true
    this.#write()
  }

  #queueWaiting(isTaken: (waiting: Waiting) => boolean): void {
    for (const [part, waiting] of this.#waiting) {
      if (!isTaken(waiting)) continue
      this.#waiting.delete(part)
      this.#waitingChars -= waiting.text.length
      this.#queuedChars += waiting.text.length
      this.#queue.push({ ...waiting.draft, chunk: withText(waiting.draft.chunk, waiting.text) })
    }
    if (this.#waiting.size === 0) this.#stopTimer()
  }

  #write(): void {
    if (this.#writing !== undefined || this.#failure !== undefined) return
    this.#queueWaiting(waiting => waiting.isDue)
    if (this.#queue.length === 0) return
    const drafts = this.#queue
    this.#queue = []
    this.#queuedChars = 0
    // Made like this, the promise also rejects when `append` itself throws.
    this.#writing = new Promise(resolve => resolve(this.#append(drafts))).then(
      () => this.#written(),
      error => {
        this.#failure = { error }
        this.#stopTimer()
        this.#writing = undefined
      },
    )
  }

  #written(): void {
    this.#writing = undefined
    this.#write()
  }

  #isFull(): boolean {
    const chars = this.#waitingChars + this.#queuedChars
    return chars > this.#options.maxWaitingChars || this.#queue.length > maxQueued
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #assertWritable(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

const maxQueued = 1024

/** One for all: a promise per delta would be most of what a delta costs. */
const hasRoom = Promise.resolve()

interface Delta {
  readonly part: string
  readonly text: string
}

function deltaOf(draft: EntryDraft): Delta | undefined {
  const part = partOf(draft)
  const text = deltaText(draft.chunk)
  return part === undefined || text === undefined ? undefined : { part, text }
}

function deltaText(chunk: Chunk): string | undefined {
  if (chunk.type === 'tool-input-delta') return chunk.inputTextDelta
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.delta : undefined
}

/** The part whose text a chunk begins, continues or ends. */
function partOf({ messageId, chunk }: EntryDraft): string | undefined {
  switch (chunk.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
      return `${messageId} text ${chunk.id}`
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return `${messageId} reasoning ${chunk.id}`
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-available':
    case 'tool-input-error':
      return `${messageId} tool ${chunk.toolCallId}`
    default:
      return undefined
  }
}

function withText(chunk: Chunk, text: string): Chunk {
  if (chunk.type === 'tool-input-delta') return { ...chunk, inputTextDelta: text }
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? { ...chunk, delta: text } : chunk
}
