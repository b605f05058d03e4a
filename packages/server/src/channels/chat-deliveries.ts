import { setTimeout as pause } from 'node:timers/promises'
import { deliverRun } from '@throughline/channels'
import { follow, LogError, type LogName, type LogRange, logName, readBetween } from '@throughline/log'
import type { ChatKey, Position } from '@throughline/protocol'
import { logOfEpoch, retry } from '@throughline/protocol/internal'
import { type ChannelChat, hasAnswer, SqlError, type Store, withPatience } from '@throughline/store'
import type { Logger } from 'pino'
import { inboundId } from './accept-inbound.ts'
import type { InstalledChannel } from './installed-channel.ts'

/** What deliveries need. */
export interface ChatDeliveriesOptions {
  readonly store: Store
  readonly channels: ReadonlyMap<string, InstalledChannel>
  readonly logger: Logger
  /** The node that delivers. Default: none, for a store that no other process uses. */
  readonly nodeId?: string | undefined
}

/** How often a node tries to get a chat that another node delivers, in milliseconds. */
const claimEveryMs = 1_000

interface UnderWay {
  readonly over: Promise<void>
  readonly stop: AbortController
  /** The chat may have entries that this delivery has not seen. */
  isAskedAgain: boolean
}

/**
 * Delivers chats to their channels. Each chat has at most one delivery at a time in this process, and one node that
 * delivers it.
 */
export class ChatDeliveries {
  readonly #options: ChatDeliveriesOptions
  readonly #closing = new AbortController()
  readonly #underWay = new Map<LogName, UnderWay>()

  constructor(options: ChatDeliveriesOptions) {
    this.#options = options
  }

  /** How many chats are being delivered. */
  get count(): number {
    return this.#underWay.size
  }

  /**
   * Starts to deliver a chat, until everything in it is delivered and no run goes on. Does nothing for a chat that is
   * in no channel.
   */
  deliver(chat: ChatKey): void {
    const name = logName(chat)
    const known = this.#underWay.get(name)
    if (known !== undefined) known.isAskedAgain = true
    if (known !== undefined || this.#closing.signal.aborted) return
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, stop.signal])
    const patience = { maxWaitMs: this.#options.store.maxWaitMs, signal }
    const over = withPatience(patience, () => this.#deliverOwned(chat, signal)).finally(() => {
      const isAskedAgain = this.#underWay.get(name)?.isAskedAgain === true
      this.#underWay.delete(name)
      if (isAskedAgain) this.deliver(chat)
    })
    this.#underWay.set(name, { over, stop, isAskedAgain: false })
  }

  /** Ends the delivery of a chat that is about to be removed. */
  async stop(chat: ChatKey): Promise<void> {
    const known = this.#underWay.get(logName(chat))
    if (known === undefined) return
    // The chat may be made again afterwards. Only a delivery that is asked for from now on is for the new chat.
    known.isAskedAgain = false
    known.stop.abort()
    await known.over
  }

  /** Ends all deliveries. What the channels have not confirmed is sent by the next process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#underWay.values()].map(({ over }) => over))
  }

  /** Delivers a chat as soon as this node has it. Another node may deliver it now, and see our entries too late. */
  async #deliverOwned(chat: ChatKey, signal: AbortSignal): Promise<void> {
    const { store, nodeId, logger } = this.#options
    if (nodeId === undefined) return this.#deliverAll(chat, signal)
    const orReport = (error: unknown) => {
      logger.error({ err: error, chatId: chat.chatId }, 'the node that delivers a chat could not be set')
      return false
    }
    while (!(await store.deliveryOwners.claim(chat, nodeId).catch(orReport))) {
      if ((await store.channelChats.get(chat).catch(() => chat)) === undefined) return
      await pause(claimEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
    }
    await this.#deliverAll(chat, signal)
    // When the server closes, the name stays: the nodes that find it take the chat over.
    if (!signal.aborted) await store.deliveryOwners.release(chat, nodeId).catch(orReport)
  }

  /** Delivers one run after the other. The failures of channels are handled below, so only the store can fail here. */
  async #deliverAll(chat: ChatKey, signal: AbortSignal): Promise<void> {
    const onFailure = (error: unknown, delayMs: number) => {
      if (signal.aborted) return undefined
      // The log was removed, and what was being delivered with it. The next attempt looks what the chat has now.
      if (error instanceof LogError && error.code === 'unknown-position') return 0
      // Another node delivers the chat by now.
      if (error instanceof SqlError && error.code === 'no-effect') return undefined
      const facts = { err: error, chatId: chat.chatId }
      this.#options.logger.error(facts, 'a chat could not be delivered; it is tried again')
      return delayMs
    }
    const deliverNext = () =>
      retry(() => this.#deliverNext(chat, signal), { firstMs: 1_000, maxMs: 60_000, signal, onFailure })
    while (await deliverNext());
  }

  /** Delivers the chat's next run, and waits for its end. Returns false when there is none. */
  async #deliverNext(chat: ChatKey, signal: AbortSignal): Promise<boolean> {
    const { store, channels, logger, nodeId } = this.#options
    const delivery = { ...chat, nodeId }
    const tied = await store.channelChats.get(chat)
    const installed = tied && channels.get(tied.channel)
    if (tied === undefined || installed === undefined || signal.aborted) return false
    const name = logName(chat)
    const { epoch, seq } = await store.log.open(name)
    const after = { epoch, seq: deliveredIn(tied, { epoch, seq }) }
    if (after.seq >= seq) return false
    if (!(await hasAnswerBetween(store, name, { after, upTo: seq })) && !(await isAnswering(store, tied))) {
      // The new entries are nothing for a channel: messages were changed, or a message was sent to a person.
      await store.outbox.advance(delivery, { epoch, seq })
      return false
    }
    await deliverRun({
      channel: installed.channel,
      target: tied.target,
      entries: untilOver => follow(store.log, name, { after, signal: untilOver }),
      outbox: {
        load: () => store.outbox.load(chat),
        add: item => store.outbox.add(delivery, item),
        settle: item => store.outbox.settle(delivery, item),
        rewrite: item => store.outbox.rewrite(delivery, item),
        advance: to => store.outbox.advance(delivery, { epoch, seq: to }),
      },
      inboundId,
      readFile: fileId => store.files.read(chat, fileId),
      report: (error, what) => logger.warn({ err: error, chatId: chat.chatId, channel: tied.channel }, what),
      debug: what => logger.debug({ chatId: chat.chatId, channel: tied.channel }, what),
      signal,
      options: installed.delivery ?? {},
    })
    return true
  }
}

/**
 * Returns the last entry of a log that the channel has. A later generation of the log has the same entries, but perhaps fewer
 * than the channel. In a log that was removed and made again, nothing has been delivered.
 */
function deliveredIn({ delivered }: ChannelChat, head: Position): number {
  return logOfEpoch(delivered.epoch) === logOfEpoch(head.epoch) ? Math.min(delivered.seq, head.seq) : 0
}

/** Returns whether an answer begins in a range of the log. Most often it begins with the second entry. */
async function hasAnswerBetween({ log }: Store, name: LogName, range: LogRange): Promise<boolean> {
  for await (const page of readBetween(log, name, range))
    if (page.some(({ chunk }) => chunk.type === 'start')) return true
  return false
}

async function isAnswering({ runs }: Store, chat: ChannelChat): Promise<boolean> {
  const run = await runs.active(chat)
  return run !== undefined && hasAnswer(run)
}
