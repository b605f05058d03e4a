import { BlockChunker } from './block-chunker.ts'
import { chunkLimits } from './chunk-limits.ts'
import type { Delivery } from './delivery.ts'
import { EditingSink } from './editing-sink.ts'
import type { OutboxItem } from './outbox.ts'
import { bodyOf, mediaReader, messageFrom, payloadFrom } from './outbox-body.ts'
import { OutboxSender } from './outbox-sender.ts'
import { cutPayload, finalPayloads, type ReplyPayload } from './payloads.ts'
import type { ReplyEvent } from './reply-events.ts'
import { createReplyPipeline } from './reply-pipeline.ts'
import { noReply, type ReplyState, updateReply } from './reply-state.ts'
import { SentBlockKeys } from './sent-block-keys.ts'
import { showTyping } from './show-typing.ts'
import { startTimer } from './start-timer.ts'
import { isText, reachOf, TextAfter } from './text-place.ts'
import { startTool } from './tool-start.ts'

/** What takes blocks to the channel. */
interface BlockSink {
  enqueue(payload: ReplyPayload): void
  /** Shows the block that is not complete yet. */
  show?(partial: ReplyPayload): void
  flush(options: { readonly force: boolean }): Promise<void>
  stop(): Promise<void>
  unsentPayloads(): readonly ReplyPayload[]
}

type StartEvent = Extract<ReplyEvent, { type: 'start' }>

/** One answer on its way to a channel. */
export class Reply {
  readonly #delivery: Delivery
  readonly #sender: OutboxSender
  readonly #chunker: BlockChunker
  readonly #text: TextAfter
  readonly #sink: BlockSink
  readonly #runId: string
  readonly #replyTo: string | undefined
  readonly #known: readonly OutboxItem[]
  readonly #ended = new AbortController()
  #blockCount = 0
  #state: ReplyState = updateReply(noReply, { type: 'message-start' }).state

  constructor(delivery: Delivery, start: StartEvent, known: readonly OutboxItem[]) {
    const { runId, userMessageId } = start
    this.#delivery = delivery
    this.#runId = runId
    this.#replyTo = userMessageId && delivery.inboundId(userMessageId)
    this.#known = known
    this.#chunker = new BlockChunker(this.#limits())
    this.#sender = this.#openSender()
    const open = this.#isEditing() ? known.findLast(isText) : undefined
    this.#sink = this.#isEditing() ? this.#openEditing(open) : this.#openPipeline()
    this.#text = new TextAfter(this.#chunker, reachOf(known.filter(item => item !== open)))
    showTyping(delivery, this.#ended.signal)
  }

  async take(event: ReplyEvent): Promise<void> {
    switch (event.type) {
      case 'text':
        return this.#update({ type: 'text-delta', delta: event.text })
      case 'tool':
        return this.#startTool(event)
      case 'file':
        this.pass({ force: true })
        if (!this.#isKept({ media: [event.url] })) this.#sink.enqueue({ media: [event.url] })
        return
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

  /** The text before a tool goes out before the tool's own messages. The log, and so the tool, waits for nobody here. */
  async #startTool({ toolCallId, name, input }: Extract<ReplyEvent, { type: 'tool' }>): Promise<void> {
    const { options, report } = this.#delivery
    this.pass({ force: true })
    const { state, told } = startTool(
      this.#state,
      { toolCallId, toolName: name, args: input },
      {
        runId: this.#runId,
        flush: () => this.#sink.flush({ force: true }),
        // The page hears of tools from the log itself.
        emit: () => undefined,
        showSummary: ({ summary }) => {
          if (options.isWithTools === true)
            this.#sink.enqueue({ text: `🔧 ${summary}`, isStatus: true, id: toolCallId })
        },
        debug: what => report(undefined, what),
        ...this.#timing(),
      },
    )
    this.#state = state
    await told
  }

  async #finish({ status, text }: Extract<ReplyEvent, { type: 'end' }>): Promise<void> {
    this.#update({ type: 'message-end' })
    this.pass({ force: true })
    await this.#sink.stop()
    this.#ended.abort()
    this.#delivery.signal.throwIfAborted()
    // What was written down goes out under its own key first; the rest follows.
    await this.#sender.sendPending()
    for (const final of this.#finals()) await this.#keep(final)
    if (status !== 'finished' && status !== 'stopped') await this.#keepNotice(text ?? status)
    await this.#sender.sendPending()
  }

  /** What is left of the answer when everything in the outbox counts as sent. */
  #finals(): readonly ReplyPayload[] {
    const sent = new SentBlockKeys()
    for (const { body } of this.#sender.items) sent.add(payloadFrom(body))
    const { assistantTexts } = this.#state
    const media = this.#sink.unsentPayloads().filter(payload => payload.media && !this.#isKept(payload))
    return finalPayloads({ assistantTexts, directlySentBlockKeys: sent })
      .concat(media)
      .flatMap(payload => cutPayload(payload, this.#limits()))
  }

  async #keepNotice(text: string): Promise<void> {
    const notice = { text: `⚠️ ${text}`, isStatus: true }
    if (!this.#isKept(notice)) await this.#keep(notice)
  }

  #isKept(payload: ReplyPayload): boolean {
    const body = JSON.stringify([payload.text, payload.media])
    return this.#sender.items.some(item => {
      const { text, media } = payloadFrom(item.body)
      return JSON.stringify([text, media]) === body
    })
  }

  /** Each block is one of its own, also when it says what another says. */
  #ofAnswer(block: ReplyPayload): ReplyPayload {
    this.#blockCount += 1
    return { ...block, messageIndex: 0, id: `${this.#blockCount}` }
  }

  /** The first message answers the person's; the others follow it. */
  #keep(payload: ReplyPayload): Promise<OutboxItem> {
    const isFirst = this.#sender.items.length === 0
    return this.#sender.keep(bodyOf(isFirst ? { ...payload, replyTo: this.#replyTo } : payload))
  }

  #openSender(): OutboxSender {
    const { channel, target, outbox, readFile, report, signal, options } = this.#delivery
    const readMedium = mediaReader(readFile)
    const { timeoutMs, giveUpMs } = options
    return new OutboxSender(
      {
        channel,
        target,
        outbox,
        runId: this.#runId,
        messageOf: body => messageFrom(payloadFrom(body), readMedium),
        report,
        signal,
        timeoutMs,
        giveUpMs,
        startTimer: this.#delivery.startTimer,
      },
      this.#known,
    )
  }

  #isEditing(): boolean {
    const { channel, options } = this.#delivery
    return options.streaming === 'edit' && channel.edit !== undefined
  }

  #openEditing(open: OutboxItem | undefined): BlockSink {
    const { options, startTimer: start = startTimer } = this.#delivery
    return new EditingSink({
      sender: this.#sender,
      keep: payload => this.#keep(payload),
      sendAlone: payload => this.#sendAlone(payload),
      open,
      intervalMs: options.idleMs ?? 1_000,
      startTimer: start,
    })
  }

  #openPipeline(): BlockSink {
    const { signal, options, report } = this.#delivery
    const { minChars, maxChars } = this.#limits()
    const { idleMs = 1_000, pauseMs } = options
    return createReplyPipeline({
      send: (payload, sending) => this.#send(payload, sending),
      coalesce: { minChars, maxChars, idleMs },
      ...(pauseMs === undefined ? {} : { pauseMs: ({ text = '' }) => pauseMs(text) }),
      signal,
      debug: what => report(undefined, what),
      ...this.#timing(),
    })
  }

  async #send(payload: ReplyPayload, signal: AbortSignal): Promise<void> {
    if (payload.isStatus === true) return this.#sendNotice(payload, signal)
    // What an earlier process left behind comes first.
    for (const item of this.#sender.items)
      if (item.status === 'pending') await this.#sender.send(item, signal)
    await this.#sender.send(await this.#keep(payload), signal)
  }

  async #sendAlone(payload: ReplyPayload): Promise<void> {
    const { signal, report } = this.#delivery
    if (payload.isStatus === true)
      return this.#sendNotice(payload, signal).catch(error => report(error, 'a notice was not taken'))
    await this.#keep(payload)
    await this.#sender.sendPending()
  }

  /** A notice is worth nothing later, so it is not kept. */
  async #sendNotice({ text = '', id }: ReplyPayload, signal: AbortSignal): Promise<void> {
    const { channel, target } = this.#delivery
    await channel.send({ target, message: { text }, idempotencyKey: `${this.#runId}.${id}`, signal })
  }

  #limits() {
    const { channel, options } = this.#delivery
    const { minChars, maxChars, preference = 'paragraph' } = options
    const wanted = {
      ...(minChars === undefined ? {} : { minChars }),
      ...(maxChars === undefined ? {} : { maxChars }),
    }
    return { ...chunkLimits(channel.maxChars, wanted), preference }
  }

  #timing() {
    const { timeoutMs = 15_000 } = this.#delivery.options
    return { timeoutMs, startTimer: this.#delivery.startTimer ?? startTimer }
  }
}
