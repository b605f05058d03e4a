import { BlockChunker, type BlockChunkerOptions } from './block-chunker.ts'
import { type BlockSink, isEditing, openEditing, openPipeline } from './block-sink.ts'
import { blockLimits, type Delivery } from './delivery.ts'
import type { OutboxItem } from './outbox.ts'
import { OutboxSender } from './outbox-sender.ts'
import { cutPayload, finalPayloads, type ReplyPayload } from './payloads.ts'
import { mediaReader } from './read-medium.ts'
import type { ReplyEvent } from './reply-events.ts'
import { noReply, type ReplyState, updateReply } from './reply-state.ts'
import { shorten } from './shorten.ts'
import { showTyping } from './show-typing.ts'
import { startTimer } from './start-timer.ts'
import { isText, reachOf, TextAfter } from './text-place.ts'
import { startTool } from './tool-start.ts'

type EventOf<Type extends ReplyEvent['type']> = Extract<ReplyEvent, { type: Type }>

/** One answer on its way to a channel. */
export class Reply {
  readonly #delivery: Delivery
  readonly #runId: string
  readonly #limits: BlockChunkerOptions
  readonly #sender: OutboxSender
  readonly #chunker: BlockChunker
  readonly #text: TextAfter
  readonly #sink: BlockSink
  /** How far into the text earlier processes got. */
  readonly #reach: number
  /** The answer's files by address, and where in its text they stand. */
  readonly #files = new Map<string, number>()
  readonly #ended = new AbortController()
  #blockCount = 0
  #state: ReplyState = updateReply(noReply, { type: 'message-start' }).state

  constructor(delivery: Delivery, { runId, userMessageId }: EventOf<'start'>, known: readonly OutboxItem[]) {
    const replyTo = userMessageId && delivery.inboundId(userMessageId)
    this.#delivery = delivery
    this.#runId = runId
    this.#limits = blockLimits(delivery.channel, delivery.options)
    this.#sender = openSender(delivery, { runId, replyTo, known })
    const { payloads } = this.#sender
    const isGrowing = isEditing(delivery)
    const open = isGrowing ? payloads.findLastIndex(isText) : -1
    this.#reach = reachOf(payloads.filter((_, index) => index !== open))
    this.#chunker = new BlockChunker(this.#limits)
    this.#text = new TextAfter(this.#chunker, this.#reach)
    const sinkOptions = { delivery, sender: this.#sender, limits: this.#limits }
    this.#sink = isGrowing
      ? openEditing(sinkOptions, open === -1 ? undefined : open)
      : openPipeline(sinkOptions)
    showTyping(delivery, this.#ended.signal)
  }

  async take(event: ReplyEvent): Promise<void> {
    this.#sender.throwIfBroken()
    switch (event.type) {
      case 'text':
        return this.#update({ type: 'text-delta', delta: event.text })
      case 'tool':
        return this.#startTool(event)
      case 'file':
        return this.#takeFile(event)
      case 'end':
        return this.#finish(event)
      case 'start':
        return
    }
  }

  /** Passes on the blocks that are complete. */
  pass({ force = false } = {}): void {
    this.#chunker.drain({ force, emit: block => this.#sink.enqueue(this.#ofAnswer(block)) })
    const partial = this.#sink.show && this.#chunker.peek()
    if (partial !== undefined) this.#sink.show?.({ ...partial, messageIndex: 0 })
  }

  #update(event: Parameters<typeof updateReply>[1]): void {
    const { state, added } = updateReply(this.#state, event)
    this.#state = state
    this.#text.append(added)
  }

  #takeFile({ url }: EventOf<'file'>): void {
    if (this.#files.has(url)) return
    this.#files.set(url, this.#state.messageText.length)
    this.pass({ force: true })
    if (!this.#isKept(url)) this.#sink.enqueue({ media: [url] })
  }

  /** The text before a tool goes out before the tool's own messages. The log, and so the tool, waits for nobody here. */
  async #startTool({ toolCallId, name, input }: EventOf<'tool'>): Promise<void> {
    const { options, report, startTimer: start = startTimer } = this.#delivery
    this.pass({ force: true })
    const { state, told } = startTool(
      this.#state,
      { toolCallId, toolName: name, args: input },
      {
        runId: this.#runId,
        flush: () => this.#sink.flush({ force: true }),
        // The page hears of tools from the log itself.
        emit: () => undefined,
        showSummary: ({ summary }) => this.#showTool(summary),
        debug: what => report(undefined, what),
        timeoutMs: options.timeoutMs ?? 15_000,
        startTimer: start,
      },
    )
    this.#state = state
    await told
  }

  #showTool(summary: string): void {
    const { toolMetas, messageText } = this.#state
    // What came after it was sent by an earlier process, and so was this.
    const isOld = messageText.length < this.#reach
    if (this.#delivery.options.isWithTools !== true || isOld) return
    const text = shorten(`🔧 ${summary}`, this.#limits.maxChars)
    this.#sink.enqueue({ text, isStatus: true, id: `tool-${toolMetas.length}` })
  }

  async #finish({ status, text }: EventOf<'end'>): Promise<void> {
    this.#update({ type: 'message-end' })
    this.pass({ force: true })
    await this.#sink.stop()
    this.#ended.abort()
    this.#delivery.signal.throwIfAborted()
    for (const [url, place] of this.#files) {
      if (this.#isKept(url)) continue
      await this.#keepRest(place)
      await this.#sender.keep({ media: [url] })
    }
    await this.#keepRest()
    if (status !== 'finished' && status !== 'stopped') await this.#keepNotice(text ?? status)
    await this.#sender.sendPending()
  }

  /** Writes down what is left of the text, up to a place, when everything in the outbox counts as sent. */
  async #keepRest(upTo?: number): Promise<void> {
    const assistantTexts = this.#state.assistantTexts.map(text => text.slice(0, upTo))
    const reach = reachOf(this.#sender.payloads)
    const unsentOf = (payload: ReplyPayload) => ({ ...payload, text: payload.text?.slice(reach) ?? '' })
    const after = this.#state.messageText.slice(0, reach)
    for (const final of finalPayloads({ assistantTexts, directlySentBlockKeys: { unsentOf } }))
      for (const payload of cutPayload(final, this.#limits, { after })) await this.#sender.keep(payload)
  }

  async #keepNotice(reason: string): Promise<void> {
    if (this.#sender.payloads.some(({ isStatus }) => isStatus === true)) return
    const text = shorten(`⚠️ ${reason}`, this.#limits.maxChars)
    await this.#sender.keep({ text, isStatus: true })
  }

  #isKept(url: string): boolean {
    return this.#sender.payloads.some(({ media = [] }) => media.includes(url))
  }

  /** Each block is one of its own, also when it says what another says. */
  #ofAnswer(block: ReplyPayload): ReplyPayload {
    this.#blockCount += 1
    return { ...block, messageIndex: 0, id: `${this.#blockCount}` }
  }
}

interface Sending {
  readonly runId: string
  readonly replyTo: string | undefined
  readonly known: readonly OutboxItem[]
}

function openSender(delivery: Delivery, { runId, replyTo, known }: Sending): OutboxSender {
  const { channel, target, outbox, readFile, report, signal, options, startTimer, now } = delivery
  const { timeoutMs, giveUpMs } = options
  const readMedium = mediaReader(readFile)
  return new OutboxSender(
    {
      channel,
      target,
      outbox,
      runId,
      replyTo,
      readMedium,
      report,
      signal,
      timeoutMs,
      giveUpMs,
      startTimer,
      now,
    },
    known,
  )
}
