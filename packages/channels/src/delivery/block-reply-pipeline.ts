import { defined } from '@throughline/protocol/internal'
import { blocksOf } from '../cutting/block-chunker.ts'
import { type Block, chunkLimits, joinBlocks } from '../cutting/blocks.ts'
import type { Channel } from '../ports/channel.ts'
import { inMemory } from '../ports/delivery-outbox.ts'
import { startTimer as realTimer, type StartTimer } from '../ports/timers.ts'
import { finalPayloads } from '../sending/final-payloads.ts'
import { blockIn, isBlock, type Post, payloadKey, reachOf } from '../sending/post.ts'
import { type FileReader, mediaReader } from '../sending/read-medium.ts'
import { RunOutbox } from '../sending/run-outbox.ts'
import { LivePosts } from '../sending/send-posts.ts'
import { joinShort } from '../stages/pace-blocks.ts'

/** A piece of a reply: a block of a `BlockChunker`, a text of your own, or the address of a file in `media`. */
export type ReplyPayload = Pick<Post, 'text' | 'before' | 'reopening' | 'closing' | 'media'>

export interface BlockReplyOptions {
  readonly channel: Channel
  /** Where to send to, as the channel understands it. */
  readonly target: string
  /** The id of this reply. The idempotency keys of its messages begin with it. */
  readonly runId: string
  /** The inbound message that the first message is a reply to. */
  readonly replyTo?: string
  /** A block with this many characters or more does not wait to be joined with the next one. Default: 800. */
  readonly minChars?: number
  /** No message is longer, in UTF-16 units. Default: 1,200, or as many as the channel takes if that is less. */
  readonly maxChars?: number
  /** How long a shorter block waits for the next one, in milliseconds. Default: 1,000. */
  readonly idleMs?: number
  /** How long the channel may take for a message, in milliseconds. Default: 15,000. */
  readonly timeoutMs?: number
  /** Ends the pipeline at once. */
  readonly signal?: AbortSignal
  /** Reads the file of an address such as `/api/chats/ID/files/ID`. Without it only `data:` URLs are sent as files. */
  readonly readFile?: FileReader
  /** Called with what the channel did not take. */
  readonly report?: (error: unknown, what: string) => void
  readonly startTimer?: StartTimer
}

/** Sends one reply to a channel in blocks. Its functions can be passed on: `chunker.drain({ emit: pipeline.enqueue })`. */
export interface BlockReplyPipeline {
  /** Takes a payload to send after all others. A text that is too long is cut. Ignored after `stop` or an abort. */
  readonly enqueue: (payload: ReplyPayload) => void
  /**
   * Resolves when the channel has taken what was enqueued before, or when the pipeline is aborted. Never rejects. A short
   * block goes on waiting for the next one; with `force` it is sent at once.
   */
  readonly flush: (options?: { readonly force?: boolean }) => Promise<void>
  /** Takes nothing more. What was enqueued before is sent at once, and `flush` waits for it. */
  readonly stop: () => void
  /** Whether something waits, or is on its way to the channel. */
  readonly hasBuffered: () => boolean
  /** Whether the channel has taken anything. */
  readonly didStream: () => boolean
  /** Whether the signal was aborted, or the channel did not take a message. Nothing more is sent then. */
  readonly isAborted: () => boolean
  /**
   * Whether the channel has taken a payload: the same file; or a text that is one block or several in a row, whatever the
   * white space between them. Compares what is in the payload, not the object.
   */
  readonly hasSentPayload: (payload: ReplyPayload) => boolean
  /** Returns what the channel has not taken of a text whose blocks were enqueued, cut into blocks. */
  readonly unsent: (said: string) => readonly ReplyPayload[]
}

/**
 * Makes a pipeline for one reply. Its stages are those of the channels that Throughline brings along, for texts that are in
 * no log. It keeps its outbox in memory; `deliverRun` delivers an answer from a log, and survives a crash. @public
 */
export function createBlockReplyPipeline(options: BlockReplyOptions): BlockReplyPipeline {
  return new Pipeline(options)
}

/** What goes through the joining of short blocks. All but blocks makes a waiting block go first. */
type Piece = { readonly type: 'block'; readonly block: Block } | Mark
type Mark =
  | { readonly type: 'file'; readonly post: Post }
  | { readonly type: 'flush'; readonly done: PromiseWithResolvers<void> }

class Pipeline implements BlockReplyPipeline {
  readonly #limits: { readonly minChars: number; readonly maxChars: number }
  readonly #signal: AbortSignal
  readonly #feed = new Feed()
  readonly #outbox: RunOutbox
  readonly #posts: LivePosts
  readonly #over: Promise<void>
  /** The text of each block that was enqueued, with what stands before it. */
  readonly #texts: string[] = []
  /** How many characters of text, and how many files, the channel has neither taken nor refused. */
  #waiting = { chars: 0, files: 0 }
  #sending: Promise<void> | undefined
  #isStopped = false
  #isOver = false

  constructor(options: BlockReplyOptions) {
    const { channel, minChars, maxChars, idleMs = 1_000, startTimer = realTimer } = options
    const { readFile = async () => undefined, report = () => undefined, replyTo } = options
    this.#limits = chunkLimits(channel.maxChars, defined({ minChars, maxChars }))
    this.#signal = options.signal ?? new AbortController().signal
    const shared = { ...options, signal: this.#signal, report, startTimer }
    const readMedium = mediaReader(readFile)
    this.#outbox = new RunOutbox({ ...shared, replyTo, outbox: inMemory, readMedium }, [])
    this.#posts = new LivePosts({ ...shared, outbox: this.#outbox })
    this.#over = this.#deliver({ ...this.#limits, idleMs, startTimer })
  }

  readonly enqueue = (payload: ReplyPayload): void => {
    if (this.#isStopped || this.isAborted()) return
    const { text = '', media } = payload
    if (media !== undefined) return this.#enqueueFile(payload)
    const isTooLong = text.length > this.#limits.maxChars
    for (const block of isTooLong ? blocksOf(text, this.#limits) : [blockIn(payload)]) {
      if (block.text.trim() === '') continue
      this.#texts.push(joinBlocks([block]))
      this.#waiting.chars += joinBlocks([block]).length
      this.#feed.put({ type: 'block', block })
    }
  }

  readonly flush = async ({ force = false }: { readonly force?: boolean } = {}): Promise<void> => {
    if (this.#isStopped || this.#isOver) return this.#over
    if (!force) {
      await Promise.race([this.#feed.emptied(), this.#over])
      return this.#sending
    }
    const done = Promise.withResolvers<void>()
    this.#feed.put({ type: 'flush', done })
    await Promise.race([done.promise, this.#over])
  }

  readonly stop = (): void => {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#feed.put({ type: 'flush', done: Promise.withResolvers<void>() })
    this.#feed.end()
  }

  readonly hasBuffered = (): boolean => {
    const { chars, files } = this.#waiting
    return !this.isAborted() && (chars > 0 || files > 0)
  }

  readonly didStream = (): boolean => this.#outbox.sent.length > 0

  readonly isAborted = (): boolean => this.#signal.aborted || this.#posts.hasFailed

  readonly hasSentPayload = (payload: ReplyPayload): boolean => {
    const key = payloadKey(payload)
    if (key !== undefined) return this.#outbox.sent.some(post => payloadKey(post) === key)
    const text = withoutSpace(joinBlocks([blockIn(payload)]))
    return text !== '' && isRowOf(this.#sentTexts(), text)
  }

  readonly unsent = (said: string): readonly ReplyPayload[] => {
    const sent = { reach: reachOf(this.#outbox.sent), hasSentPayload: this.hasSentPayload }
    return [...finalPayloads({ said, files: new Map(), upTo: said.length }, sent, this.#limits)]
  }

  #enqueueFile(post: ReplyPayload): void {
    if (this.#outbox.hasSentPayload(post)) return
    this.#waiting.files += 1
    this.#feed.put({ type: 'file', post })
  }

  async #deliver(options: Parameters<typeof joinShort>[1]): Promise<void> {
    const end = () => this.#feed.end()
    this.#signal.addEventListener('abort', end, { once: true })
    try {
      for await (const piece of joinShort<Mark>(this.#feed, options)) {
        if (piece.type === 'flush') piece.done.resolve()
        else await this.#send(piece.type === 'file' ? piece.post : piece.block)
        if (this.isAborted()) return
      }
    } catch {
      // Only an abort gets here: `LivePosts` reports everything that the channel throws.
    } finally {
      this.#isOver = true
      this.#signal.removeEventListener('abort', end)
    }
  }

  async #send(post: Post): Promise<void> {
    const isText = isBlock(post)
    const isKnown = !isText && this.#outbox.hasSentPayload(post)
    this.#sending = isKnown ? undefined : this.#posts.send(post)
    await this.#sending
    if (isText) this.#waiting.chars -= reachOf([post])
    else this.#waiting.files -= 1
  }

  /** The channel takes blocks in order, so what it has taken is the beginning. Two blocks may have gone as one message. */
  #sentTexts(): readonly string[] {
    let rest = reachOf(this.#outbox.sent)
    const sent = this.#texts.findIndex(text => {
      rest -= text.length
      return rest < 0
    })
    return sent === -1 ? this.#texts : this.#texts.slice(0, sent)
  }
}

/** Hands pieces from a writer that does not wait to one reader. */
class Feed implements AsyncIterableIterator<Piece, void> {
  readonly #pieces: Piece[] = []
  #isEnded = false
  #put = Promise.withResolvers<void>()
  #emptied = Promise.withResolvers<void>()
  /** Whether the reader waits for more. */
  #isAsked = false

  put(piece: Piece): void {
    if (this.#isAsked) this.#emptied = Promise.withResolvers<void>()
    this.#isAsked = false
    this.#pieces.push(piece)
    this.#put.resolve()
  }

  end(): void {
    this.#isEnded = true
    this.#put.resolve()
  }

  /** Resolves when the reader asks for more than there is. */
  async emptied(): Promise<void> {
    await this.#emptied.promise
  }

  async next(): Promise<IteratorResult<Piece, void>> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) return { done: false, value: piece }
      if (this.#isEnded) return { done: true, value: undefined }
      this.#put = Promise.withResolvers<void>()
      this.#isAsked = true
      this.#emptied.resolve()
      await this.#put.promise
    }
  }

  async return(): Promise<IteratorResult<Piece, void>> {
    this.end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Returns whether a text is several of these texts in a row. Being a part of one is not enough. */
function isRowOf(texts: readonly string[], wanted: string): boolean {
  const bare = texts.map(withoutSpace)
  return bare.some((_, start) => {
    let length = 0
    for (const text of bare.slice(start)) {
      if (!wanted.startsWith(text, length)) return false
      length += text.length
      if (length === wanted.length) return true
    }
    return false
  })
}
