import { type OutboxItem, shorten, untilAborted } from '@throughline/protocol/internal'
import type { BlockChunkerOptions } from '../cutting/blocks.ts'
import type { ToolApproval } from '../ports/channel.ts'
import { startTimer as realTimer, startTimer } from '../ports/timers.ts'
import type { BlockPart, ReplyPart } from '../reading/reply-part.ts'
import { replyText } from '../reading/reply-text.ts'
import { finalPayloads } from '../sending/final-payloads.ts'
import { type BlockSink, isBlock, reachOf } from '../sending/post.ts'
import { mediaReader } from '../sending/read-medium.ts'
import { RunOutbox } from '../sending/run-outbox.ts'
import { GrowingMessages, LivePosts, sendPending, type TryOptions } from '../sending/send-posts.ts'
import { cutIntoBlocks, withoutBlocks } from '../stages/cut-into-blocks.ts'
import { joinShort, paceEdits } from '../stages/pace-blocks.ts'
import { blockLimits, type Delivery, streamingOf } from './delivery.ts'
import { inferToolMeta, type ToolMeta, tellToolStart } from './tool-start.ts'

/**
 * Delivers the next run of a chat to its channel: block by block while the answer is being written, and the rest at its
 * end. Resolves when all of it is delivered. If this process dies before that, the next one reads the run again and goes
 * on where the outbox ends.
 *
 * Everything is pulled: no entry is read while a message is on its way to the channel.
 */
export async function deliverRun(delivery: Delivery): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([delivery.signal, over.signal])
  try {
    await deliverAnswer({ ...delivery, signal })
  } finally {
    // Ends the typing indicator, and the reading of the log. They must not go on beside the next attempt.
    over.abort()
  }
}

async function deliverAnswer(delivery: Delivery): Promise<void> {
  const { entries, outbox, options, signal } = delivery
  const known = await outbox.load()
  let reply: Reply | undefined
  const text = replyText(entries(signal), options)
  for await (const part of inBlocks(text, delivery, () => reply?.reach ?? 0)) {
    if (part.type === 'start') reply = new Reply(delivery, part, known)
    else await reply?.take(part)
    if (part.type === 'end') return outbox.advance(part.seq)
  }
  signal.throwIfAborted()
}

/**
 * Chains the stages between the text of an answer and its messages. `reach` returns how many characters of the text are
 * sent for good.
 */
function inBlocks(
  text: AsyncIterable<ReplyPart>,
  delivery: Delivery,
  reach: () => number,
): AsyncIterable<BlockPart> {
  const { channel, options, startTimer = realTimer } = delivery
  const { idleMs = 1_000 } = options
  const limits = blockLimits(channel, options)
  switch (streamingOf(delivery)) {
    case 'blocks':
      return joinShort(cutIntoBlocks(text, { limits, reach }), { ...limits, idleMs, startTimer })
    case 'edit':
      return paceEdits(cutIntoBlocks(text, { limits, reach, isGrowing: true }), {
        intervalMs: idleMs,
        startTimer,
      })
    case 'final':
      return withoutBlocks(text)
  }
}

type PartOf<Type extends BlockPart['type']> = Extract<BlockPart, { type: Type }>

/** One answer on its way to a channel: takes its blocks and marks, one after the other, and sends them. */
class Reply {
  readonly #delivery: Delivery
  readonly #runId: string
  /** Whether the answer is a reply to a message from this channel. */
  readonly #isAskedHere: boolean
  readonly #isGrowing: boolean
  readonly #limits: BlockChunkerOptions
  readonly #tries: TryOptions
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
    this.#delivery = delivery
    this.#runId = runId
    this.#isAskedHere = replyTo !== undefined
    this.#isGrowing = streamingOf(delivery) === 'edit'
    this.#limits = blockLimits(delivery.channel, delivery.options)
    this.#tries = { ...delivery, timeoutMs, giveUpMs }
    const readMedium = mediaReader(delivery.readFile)
    this.#outbox = new RunOutbox({ ...delivery, runId, replyTo, readMedium }, known)
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

  #openSink(): BlockSink {
    const options = { ...this.#tries, outbox: this.#outbox }
    if (this.#isGrowing) return new GrowingMessages({ ...options, open: this.#open })
    return new LivePosts({ ...options, pauseMs: this.#delivery.options.pauseMs })
  }

  async #takeTool({ toolCallId, name, input, said }: PartOf<'tool'>): Promise<void> {
    const { options, debug } = this.#delivery
    const tool = { toolCallId, toolName: name, args: input }
    const meta = this.#toolMetaById.get(toolCallId) ?? inferToolMeta(tool, this.#toolMetaById.size + 1)
    this.#toolMetaById.set(toolCallId, meta)
    const notice = { key: `tool-${meta.number}`, text: shorten(`🔧 ${meta.summary}`, this.#limits.maxChars) }
    // An earlier process has sent text from after this call. So that process has also told about the call.
    const isOld = said.length < this.#reach
    await tellToolStart(tool, meta, {
      runId: this.#runId,
      showTyping: () => showTypingNow(this.#delivery, this.#typing),
      showSummary: options.isWithTools === true && !isOld ? () => this.#sink.notify(notice) : undefined,
      onEvent: isOld ? undefined : options.onEvent,
      debug,
    })
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
    // What became of a question shows in the answer.
    if (approval.question !== undefined && approval.outcome !== undefined) return
    if (!this.#outbox.hasSentPayload({ approval })) {
      if (!this.#isGrowing) await this.#keepUnsent(said, cutAt)
      await this.#outbox.keep({ approval })
    }
    await sendPending(this.#outbox, this.#tries)
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
    const notice = { text: shorten(`⚠️ ${text ?? status}`, this.#limits.maxChars), isStatus: true }
    if (!isAsWished && !this.#outbox.hasSentPayload(notice)) await this.#outbox.keep(notice)
    await sendPending(this.#outbox, this.#tries)
  }

  async #keepUnsent(said: string, upTo: number): Promise<void> {
    for (const post of finalPayloads({ said, files: this.#files, upTo }, this.#outbox, this.#limits))
      await this.#outbox.keep(post)
  }
}

/** Platforms show the indicator for about five seconds. */
const intervalMs = 4_000

interface TypingOptions {
  readonly ended: AbortSignal
  /** Whether the run waits for a person to decide something. */
  readonly isPaused: () => boolean
}

/** Shows the typing indicator until the answer has ended, if the channel has one. */
export function showTyping(delivery: Delivery, options: TypingOptions): void {
  // It ends with an abort, which is no failure.
  showUntilEnded(delivery, options).catch(() => undefined)
}

/** Shows the typing indicator once. */
async function showTypingNow(delivery: Delivery, { ended, isPaused }: TypingOptions): Promise<void> {
  const { channel, target, signal } = delivery
  const until = AbortSignal.any([signal, ended])
  if (!isPaused()) await channel.typing?.(target, until)
}

async function showUntilEnded(delivery: Delivery, options: TypingOptions): Promise<void> {
  const { channel, signal, debug, startTimer: start = startTimer } = delivery
  const until = AbortSignal.any([signal, options.ended])
  while (channel.typing !== undefined) {
    until.throwIfAborted()
    const { promise: passed, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, intervalMs)
    // The indicator is not important. If it fails or never returns, nothing is lost.
    showTypingNow(delivery, options).catch(error => debug(`Typing was not shown: ${String(error)}`))
    await untilAborted(passed, until).finally(stopTimer)
  }
}
