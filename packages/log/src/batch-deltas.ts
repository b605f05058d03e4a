import type { Chunk, EntryDraft } from '@throughline/protocol'

/** How deltas are joined. */
export interface BatchOptions {
  /** How long a delta may wait to be joined with later ones, in milliseconds. Default: 50. */
  readonly maxDelayMs?: number
  /** How many characters of one part may wait. When there are as many, they are written. Default: 10. */
  readonly maxChars?: number
  /** Back pressure: when more characters than this wait for the log, `emit` waits too. Default: 65,536. */
  readonly maxWaitingChars?: number
  /**
   * Asked before every write: how long after the write before it may begin, in milliseconds. What comes in the meantime
   * is joined. Only the first delta of a part does not wait for it. Default: 0.
   */
  readonly minGapMs?: () => number
}

/** Takes the drafts of a run, and appends them to the log in batches. */
export interface Batch {
  /** Takes a draft. Resolves when there is room for the next one. Rejects when an earlier write has failed. */
  emit(draft: EntryDraft): Promise<void>
  /** Resolves when every draft that was emitted before is in the log. Rejects when a write has failed. */
  flush(): Promise<void>
}

/**
 * Joins deltas of one part that come close together, so that the log gets fewer entries.
 *
 * - A part's first delta is written at once. Later ones wait for `maxDelayMs` or for `maxChars` characters.
 * - The start of a text shows nothing yet. If nothing else is to be written, it waits for the first delta, for
 *   `maxDelayMs` at most, and goes with it in one write.
 * - Before a chunk that is not a delta, everything that waits is written. So the order of one part's chunks never
 *   changes, and no delta moves past a chunk that is not a delta.
 * - Only one write is in flight at a time. What comes during a write makes up the next one.
 */
export function batchDeltas(
  append: (drafts: readonly EntryDraft[]) => Promise<unknown>,
  options: BatchOptions = {},
): Batch {
  return new DeltaBatch(append, options)
}

/** The deltas of one part that wait, joined into one. */
interface Waiting {
  /** The joined delta takes its fields from this draft, all but the text. */
  draft: EntryDraft
  text: string
  /** Whether it goes with the next write. */
  isDue: boolean
}

class DeltaBatch implements Batch {
  readonly #append: (drafts: readonly EntryDraft[]) => Promise<unknown>
  readonly #options: Required<BatchOptions>
  /** The drafts of the next write, in order. They go before everything in `#waiting`. */
  #queue: EntryDraft[] = []
  readonly #waiting = new Map<string, Waiting>()
  #waitingChars = 0
  #queuedChars = 0
  /** Parts whose first delta has been seen. */
  readonly #begun = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> | undefined
  #lastWriteAt = Number.NEGATIVE_INFINITY
  /** The next write does not wait for the gap. */
  #isUrgent = false
  #failure: { readonly error: unknown } | undefined

  constructor(append: (drafts: readonly EntryDraft[]) => Promise<unknown>, options: BatchOptions) {
    this.#append = append
    this.#options = { maxDelayMs: 50, maxChars: 10, maxWaitingChars: 64 * 1024, minGapMs: noGap, ...options }
  }

  emit(draft: EntryDraft): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    const delta = deltaOf(draft)
    if (delta === undefined) this.#addOther(draft)
    else this.#addDelta(draft, delta)
    const isStartAlone = delta === undefined && isTextStart(draft) && this.#queue.length === 1
    if (isStartAlone) this.#startTimer()
    else this.#write()
    return this.#writing !== undefined && this.#isFull() ? this.#untilRoom() : hasRoom
  }

  async flush(): Promise<void> {
    this.#queueWaiting(() => true)
    this.#isUrgent = this.#queue.length > 0
    this.#write()
    // Everything that was emitted before is in the write under way, or in the one right after it.
    const isInNextWrite = this.#queue.length > 0
    await this.#writing
    if (isInNextWrite) await this.#writing
    this.#assertWritable()
  }

  async #untilRoom(): Promise<void> {
    while (this.#writing !== undefined && this.#isFull()) await this.#writing
    this.#assertWritable()
  }

  #addDelta(draft: EntryDraft, { part, text }: Delta): void {
    const isFirst = !this.#begun.has(part)
    const waiting = this.#waiting.get(part) ?? { draft, text: '', isDue: isFirst }
    this.#isUrgent ||= isFirst
    this.#begun.add(part)
    this.#waiting.set(part, waiting)
    // The newest provider metadata wins, as when every delta is folded by itself.
    if ('providerMetadata' in draft.chunk) waiting.draft = draft
    waiting.text += text
    waiting.isDue ||= waiting.text.length >= this.#options.maxChars
    this.#waitingChars += text.length
    if (!waiting.isDue) this.#startTimer()
  }

  #addOther(draft: EntryDraft): void {
    this.#queueWaiting(() => true)
    this.#queue.push(draft)
    // A part begins or ends here. A later part may have the same id, and its first delta is written at once too.
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
    if (this.#queue.length === 0 && !this.#hasDue()) return
    const gapMs = this.#gapLeft()
    if (gapMs > 0) return this.#startTimer(gapMs)
    this.#queueWaiting(waiting => waiting.isDue)
    const drafts = this.#queue
    this.#queue = []
    this.#queuedChars = 0
    this.#isUrgent = false
    this.#lastWriteAt = performance.now()
    // `append` is called inside of the promise. So the promise also rejects when `append` throws before it returns one.
    this.#writing = new Promise(resolve => resolve(this.#append(drafts))).then(
      () => this.#written(),
      error => {
        this.#failure = { error }
        this.#stopTimer()
        this.#writing = undefined
      },
    )
  }

  #hasDue(): boolean {
    for (const { isDue } of this.#waiting.values()) if (isDue) return true
    return false
  }

  /** Returns how long the next write has to wait, in milliseconds. */
  #gapLeft(): number {
    if (this.#isUrgent || this.#isFull()) return 0
    const gapMs = this.#options.minGapMs()
    return gapMs === 0 ? 0 : this.#lastWriteAt + gapMs - performance.now()
  }

  #written(): void {
    this.#writing = undefined
    this.#write()
  }

  #isFull(): boolean {
    const chars = this.#waitingChars + this.#queuedChars
    return chars > this.#options.maxWaitingChars || this.#queue.length > maxQueued
  }

  #startTimer(ms = this.#options.maxDelayMs): void {
    this.#timer ??= setTimeout(() => this.#tick(), ms)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #assertWritable(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}

/** How many drafts may be queued before `emit` waits. Drafts without text count here, not as characters. */
const maxQueued = 1024

const noGap = () => 0

/** Shared by all calls of `emit`. A new promise for each delta would be most of what a delta costs. */
const hasRoom = Promise.resolve()

/** The text that a draft adds to a part. */
interface Delta {
  /** Names the part: see `partOf`. */
  readonly part: string
  readonly text: string
}

/** Returns what a draft adds to a part; `undefined` for drafts that are no deltas. */
function deltaOf(draft: EntryDraft): Delta | undefined {
  const part = partOf(draft)
  const text = deltaText(draft.chunk)
  return part === undefined || text === undefined ? undefined : { part, text }
}

/** Whether a draft begins a text, which shows nothing yet. */
function isTextStart({ chunk }: EntryDraft): boolean {
  return chunk.type === 'text-start' || chunk.type === 'reasoning-start'
}

function deltaText(chunk: Chunk): string | undefined {
  if (chunk.type === 'tool-input-delta') return chunk.inputTextDelta
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.delta : undefined
}

/** Returns a key for the part that a chunk begins, continues or ends; `undefined` for other chunks. */
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

/** Returns a delta with another text. Chunks that are no deltas are returned as they are. */
function withText(chunk: Chunk, text: string): Chunk {
  if (chunk.type === 'tool-input-delta') return { ...chunk, inputTextDelta: text }
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? { ...chunk, delta: text } : chunk
}
