import { BlockChunker } from './block-chunker.ts'
import { chunkLimits } from './chunk-limits.ts'
import type { Delivery } from './delivery.ts'
import type { OutboxItem } from './outbox.ts'
import { bodyOf, mediaReader, messageFrom, payloadFrom } from './outbox-body.ts'
import { OutboxSender } from './outbox-sender.ts'
import { cutPayload, finalPayloads, type ReplyPayload } from './payloads.ts'
import type { ReplyEvent } from './reply-events.ts'
import { createReplyPipeline, type ReplyPipeline } from './reply-pipeline.ts'
import { noReply, type ReplyState, updateReply } from './reply-state.ts'
import { SentBlockKeys } from './sent-block-keys.ts'
import { startTimer } from './start-timer.ts'
import { reachOf, TextAfter } from './text-place.ts'
import { startTool } from './tool-start.ts'

type StartEvent = Extract<ReplyEvent, { type: 'start' }>

/** One answer on its way to a channel. */
export class Reply {
  readonly #delivery: Delivery
  readonly #sender: OutboxSender
  readonly #chunker: BlockChunker
  readonly #text: TextAfter
  readonly #pipeline: ReplyPipeline
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
    this.#text = new TextAfter(this.#chunker, reachOf(known))
    this.#sender = this.#openSender()
    this.#pipeline = this.#openPipeline()
    this.#showTyping()
  }

  async take(event: ReplyEvent): Promise<void> {
    switch (event.type) {
      case 'text':
        return this.#update({ type: 'text-delta', delta: event.text })
      case 'tool':
        return this.#startTool(event)
      case 'file':
        if (!this.#isKept({ media: [event.url] })) this.#pipeline.enqueue({ media: [event.url] })
        return
      case 'end':
        return this.#finish(event)
      case 'start':
        return
    }
  }

  /** Passes on the blocks that are complete. */
  pass({ force = false } = {}): void {
    this.#chunker.drain({ force, emit: block => this.#pipeline.enqueue(this.#ofAnswer(block)) })
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
        flush: () => this.#pipeline.flush({ force: true }),
        // The page hears of tools from the log itself.
        emit: () => undefined,
        showSummary: ({ summary }) => {
          if (options.isWithTools === true)
            this.#pipeline.enqueue({ text: `🔧 ${summary}`, isStatus: true, id: toolCallId })
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
    await this.#pipeline.stop()
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
    const media = this.#pipeline.unsentPayloads().filter(payload => payload.media && !this.#isKept(payload))
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

  #openPipeline(): ReplyPipeline {
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
    const { channel, target } = this.#delivery
    // A notice is worth nothing later, so it is not kept.
    if (payload.isStatus === true) {
      const idempotencyKey = `${this.#runId}.${payload.id}`
      await channel.send({ target, message: { text: payload.text ?? '' }, idempotencyKey, signal })
      return
    }
    // What an earlier process left behind comes first.
    for (const item of this.#sender.items)
      if (item.status === 'pending') await this.#sender.send(item, signal)
    await this.#sender.send(await this.#keep(payload), signal)
  }

  #showTyping(): void {
    const { channel, target, signal, startTimer: start = startTimer } = this.#delivery
    if (channel.typing === undefined) return
    const until = AbortSignal.any([signal, this.#ended.signal])
    const show = () => {
      if (until.aborted) return
      // It is a courtesy: when it fails, nothing is lost.
      channel.typing?.(target, until).catch(() => undefined)
      const stopTimer = start(show, 4_000)
      until.addEventListener('abort', stopTimer, { once: true })
    }
    show()
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
