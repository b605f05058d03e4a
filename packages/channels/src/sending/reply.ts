import { type OutboxItem, shorten } from '@throughline/protocol/internal'
import type { ToolApproval } from '../channel.ts'
import type { BlockPart } from '../cutting/reply-part.ts'
import { blockLimits, type Delivery, streamingOf } from '../delivery.ts'
import { inferToolMeta, type ToolMeta } from '../reading/tool-meta.ts'
import type { BlockSink } from './block-sink.ts'
import { finalPayloads } from './final-payloads.ts'
import { GrowingMessages } from './growing-messages.ts'
import { LivePosts } from './live-posts.ts'
import { isBlock, reachOf } from './post.ts'
import { mediaReader } from './read-medium.ts'
import { RunOutbox } from './run-outbox.ts'
import { showTyping, showTypingNow, type TypingOptions } from './show-typing.ts'
import { tellToolStart } from './tool-start.ts'

type PartOf<Type extends BlockPart['type']> = Extract<BlockPart, { type: Type }>

/** One answer on its way to a channel: takes its blocks and marks, one after the other, and sends them. */
export class Reply {
  readonly #delivery: Delivery
  readonly #runId: string
  /** Whether the answer is a reply to a message from this channel. */
  readonly #isAskedHere: boolean
  readonly #outbox: RunOutbox
  /** The index of the message of an earlier process that may not be complete. Only for messages that grow. */
  readonly #open: number | undefined
  readonly #ended = new AbortController()
  /** The tool calls that wait for a person. */
  readonly #waiting = new Set<string>()
  readonly #toolMetaById = new Map<string, ToolMeta>()
  readonly #files = new Map<string, number>()
  readonly #typing: TypingOptions = { ended: this.#ended.signal, isPaused: () => this.#waiting.size > 0 }
  #sink: BlockSink
  /** How far into the text the outbox reached when the sink was opened. */
  #reach: number

  constructor(delivery: Delivery, { runId, userMessageId }: PartOf<'start'>, known: readonly OutboxItem[]) {
    const { timeoutMs, giveUpMs } = delivery.options
    const replyTo = userMessageId && delivery.inboundId(userMessageId)
    const readMedium = mediaReader(delivery.readFile)
    this.#delivery = delivery
    this.#runId = runId
    this.#isAskedHere = replyTo !== undefined
    this.#outbox = new RunOutbox({ ...delivery, runId, replyTo, readMedium, timeoutMs, giveUpMs }, known)
    const open = this.#isGrowing ? this.#outbox.posts.findLastIndex(isBlock) : -1
    this.#open = open === -1 ? undefined : open
    this.#reach = this.reach
    this.#sink = this.#openSink()
    showTyping(delivery, this.#typing)
  }

  /** How many characters of the answer's text are sent for good. */
  get reach(): number {
    return reachOf(this.#outbox.posts.filter((_, index) => index !== this.#open))
  }

  async take(part: BlockPart): Promise<void> {
    switch (part.type) {
      case 'block':
        return this.#sink.send(part.block)
      case 'partial':
        await this.#sink.show?.(part.block)
        return
      case 'tool':
        return this.#takeTool(part)
      case 'file':
        return this.#takeFile(part)
      case 'approval':
        return this.#takeApproval(part)
      case 'end':
        return this.#finish(part)
      case 'start':
        return
    }
  }

  get #isGrowing(): boolean {
    return streamingOf(this.#delivery) === 'edit'
  }

  #openSink(): BlockSink {
    const { report, options, signal, startTimer } = this.#delivery
    const { pauseMs, timeoutMs } = options
    const outbox = this.#outbox
    return this.#isGrowing
      ? new GrowingMessages({ outbox, report, open: this.#open })
      : new LivePosts({ outbox, pauseMs, timeoutMs, report, signal, startTimer })
  }

  async #takeTool({ toolCallId, name, input, said }: PartOf<'tool'>): Promise<void> {
    const { options, debug } = this.#delivery
    const { isWithTools = false, onEvent } = options
    const tool = { toolCallId, toolName: name, args: input }
    const meta = this.#toolMetaById.get(toolCallId) ?? inferToolMeta(tool, this.#toolMetaById.size + 1)
    this.#toolMetaById.set(toolCallId, meta)
    // What was said after it was sent by an earlier process, so the tool was told by that process, too.
    const isOld = said.length < this.#reach
    await tellToolStart(tool, meta, {
      runId: this.#runId,
      showTyping: () => showTypingNow(this.#delivery, this.#typing),
      showSummary: isWithTools && !isOld ? () => this.#showSummary(meta) : undefined,
      onEvent: isOld ? undefined : onEvent,
      debug,
    })
  }

  #showSummary({ number, summary }: ToolMeta): Promise<void> {
    return this.#sink.notify({ key: `tool-${number}`, text: this.#shortened(`🔧 ${summary}`) })
  }

  async #takeFile({ url, said }: PartOf<'file'>): Promise<void> {
    this.#files.set(url, said.length)
    const file = { media: [url] }
    const isForEnd = streamingOf(this.#delivery) === 'final'
    if (!isForEnd && !this.#outbox.hasSentPayload(file)) await this.#sink.send(file)
  }

  /**
   * Shows that a call waits, or what became of it. The text before it goes first. The run may wait for this one message,
   * so it is tried until the channel has taken it, and not only at the end of the run.
   */
  async #takeApproval({ approval: found, said, cutAt }: PartOf<'approval'>): Promise<void> {
    const approval: ToolApproval = { ...found, isAskedHere: this.#isAskedHere }
    if (approval.outcome === undefined) this.#waiting.add(approval.id)
    else this.#waiting.delete(approval.id)
    if (!this.#outbox.hasSentPayload({ approval })) {
      if (!this.#isGrowing) await this.#keepUnsent(said, cutAt)
      await this.#outbox.keep({ approval })
    }
    await this.#outbox.sendPending()
    if (this.#isGrowing) return
    // Nothing is held back any more: the channel has taken or refused everything before.
    this.#reach = this.reach
    this.#sink = this.#openSink()
  }

  async #finish({ status, text, said }: PartOf<'end'>): Promise<void> {
    this.#ended.abort()
    await this.#keepUnsent(said, said.length)
    // A finished answer has a text about its end only when the agent has said nothing.
    const isAsWished = status === 'stopped' || (status === 'finished' && text === undefined)
    const notice = { text: this.#shortened(`⚠️ ${text ?? status}`), isStatus: true }
    if (!isAsWished && !this.#outbox.hasSentPayload(notice)) await this.#outbox.keep(notice)
    await this.#outbox.sendPending()
  }

  async #keepUnsent(said: string, upTo: number): Promise<void> {
    const limits = blockLimits(this.#delivery.channel, this.#delivery.options)
    for (const post of finalPayloads({ said, files: this.#files, upTo }, this.#outbox, limits))
      await this.#outbox.keep(post)
  }

  #shortened(text: string): string {
    return shorten(text, blockLimits(this.#delivery.channel, this.#delivery.options).maxChars)
  }
}
