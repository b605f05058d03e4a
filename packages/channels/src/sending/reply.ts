import type { ToolApproval } from '../channel.ts'
import type { BlockChunkerOptions } from '../cutting/block-chunker.ts'
import { shorten } from '../cutting/shorten.ts'
import { blockLimits, type Delivery } from '../delivery.ts'
import type { ReplyEvent } from '../reading/reply-events.ts'
import { noReply, type ReplyState, updateReply } from '../reading/reply-state.ts'
import { AnswerRest } from './answer-rest.ts'
import { BlockFeed } from './block-feed.ts'
import { isEditing } from './block-sink.ts'
import { openSender } from './open-sender.ts'
import type { OutboxItem } from './outbox.ts'
import type { OutboxSender } from './outbox-sender.ts'
import { showTyping, showTypingNow, type TypingOptions } from './show-typing.ts'
import { startTimer } from './start-timer.ts'
import { startTool } from './tool-start.ts'

type EventOf<Type extends ReplyEvent['type']> = Extract<ReplyEvent, { type: Type }>

/** One answer on its way to a channel. */
export class Reply {
  readonly #delivery: Delivery
  readonly #runId: string
  readonly #isAskedHere: boolean
  readonly #limits: BlockChunkerOptions
  readonly #sender: OutboxSender
  readonly #rest: AnswerRest
  readonly #ended = new AbortController()
  /** The tool calls that wait for a person. */
  readonly #waiting = new Set<string>()
  readonly #typing: TypingOptions = {
    ended: this.#ended.signal,
    isPaused: () => this.#waiting.size > 0,
  }
  #feed: BlockFeed
  #state: ReplyState = updateReply(noReply, { type: 'message-start' }).state

  constructor(delivery: Delivery, { runId, userMessageId }: EventOf<'start'>, known: readonly OutboxItem[]) {
    const replyTo = userMessageId && delivery.inboundId(userMessageId)
    this.#delivery = delivery
    this.#runId = runId
    this.#isAskedHere = replyTo !== undefined
    this.#limits = blockLimits(delivery.channel, delivery.options)
    this.#sender = openSender(delivery, { runId, replyTo, known })
    this.#rest = new AnswerRest(this.#sender, this.#limits)
    this.#feed = this.#openFeed()
    showTyping(delivery, this.#typing)
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
      case 'approval':
        return this.#takeApproval(event)
      case 'end':
        return this.#finish(event)
      case 'start':
        return
    }
  }

  /** Passes on the blocks that are complete. */
  pass(): void {
    this.#feed.pass()
  }

  #openFeed(): BlockFeed {
    return new BlockFeed({ delivery: this.#delivery, sender: this.#sender, limits: this.#limits })
  }

  #update(event: Parameters<typeof updateReply>[1]): void {
    const { state, added } = updateReply(this.#state, event)
    this.#state = state
    this.#feed.append(added)
  }

  #takeFile({ url }: EventOf<'file'>): void {
    if (!this.#rest.addFile(url, this.#state.messageText.length)) return
    this.#feed.pass({ force: true })
    const isForEnd = this.#delivery.options.streaming === 'final'
    if (!isForEnd && !this.#rest.isKept(url)) this.#feed.enqueue({ media: [url] })
  }

  /** The text before a tool goes out before the tool's own messages. The log, and so the tool, waits for nobody here. */
  async #startTool({ toolCallId, name, input }: EventOf<'tool'>): Promise<void> {
    const { options, debug, startTimer: start = startTimer } = this.#delivery
    this.#feed.pass({ force: true })
    const { state, told } = startTool(
      this.#state,
      { toolCallId, toolName: name, args: input },
      {
        runId: this.#runId,
        onBlockReplyFlush: () => this.#feed.flush(),
        showTyping: () => showTypingNow(this.#delivery, this.#typing),
        // The page hears of tools from the log itself.
        emit: () => undefined,
        showSummary: ({ summary }) => this.#showTool(summary),
        debug,
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
    const isOld = messageText.length < this.#feed.reach
    if (this.#delivery.options.isWithTools !== true || isOld) return
    const text = shorten(`🔧 ${summary}`, this.#limits.maxChars)
    this.#feed.enqueue({ text, isStatus: true, id: `tool-${toolMetas.length}` })
  }

  /**
   * Shows that a call waits, or what became of it, after the text before it. The run may wait for this one message, so
   * it is tried until the channel has taken it, and not only at the run's end.
   */
  async #takeApproval({ approval: found, isTextOpen }: EventOf<'approval'>): Promise<void> {
    const approval: ToolApproval = { ...found, isAskedHere: this.#isAskedHere }
    if (approval.outcome === undefined) this.#waiting.add(approval.id)
    else this.#waiting.delete(approval.id)
    // A text in which somebody is in the middle of a word is not cut there: its end comes after this.
    this.#feed.pass({ force: !isTextOpen })
    if (this.#isKnown(approval)) {
      // An earlier process has written it down, but may not have sent it.
      await this.#feed.flush()
      return this.#sender.sendPending()
    }
    await this.#feed.stop()
    this.#delivery.signal.throwIfAborted()
    const isGrowing = isEditing(this.#delivery)
    const { messageText } = this.#state
    const upTo = isTextOpen ? this.#feed.passedOf(messageText.length) : messageText.length
    if (!isGrowing) await this.#rest.keep([messageText], upTo)
    await this.#sender.keep({ approval })
    await this.#sender.sendPending()
    // What the channel did not take before it has now. The text goes on behind that, as in a new process.
    if (isGrowing) return
    this.#feed = this.#openFeed()
    this.#feed.append(messageText)
  }

  #isKnown({ id, outcome }: ToolApproval): boolean {
    const isOpen = outcome === undefined
    return this.#sender.payloads.some(
      ({ approval }) => approval?.id === id && (approval.outcome === undefined) === isOpen,
    )
  }

  async #finish({ status, text }: EventOf<'end'>): Promise<void> {
    this.#update({ type: 'message-end' })
    this.#feed.pass({ force: true })
    await this.#feed.stop()
    this.#ended.abort()
    this.#delivery.signal.throwIfAborted()
    await this.#rest.keep(this.#state.assistantTexts)
    // A finished answer has a text about its end only when it says nothing itself.
    const isAsWished = status === 'stopped' || (status === 'finished' && text === undefined)
    if (!isAsWished) await this.#keepNotice(text ?? status)
    await this.#sender.sendPending()
  }

  async #keepNotice(reason: string): Promise<void> {
    if (this.#sender.payloads.some(({ isStatus }) => isStatus === true)) return
    const text = shorten(`⚠️ ${reason}`, this.#limits.maxChars)
    await this.#sender.keep({ text, isStatus: true })
  }
}
