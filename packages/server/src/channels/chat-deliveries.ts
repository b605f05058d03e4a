import { setTimeout as sleep } from 'node:timers/promises'
import { deliverRun } from '@throughline/channels/deliver-run'
import { follow } from '@throughline/log/follow'
import { LogError, type LogName, logName } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import type { ChannelChat } from '@throughline/store/channel-chats'
import type { Store } from '@throughline/store/open-store'
import { hasAnswer } from '@throughline/store/runs'
import type { Logger } from 'pino'
import { pagesBetween } from '../runs/run-log.ts'
import { inboundId } from './accept-inbound.ts'
import type { InstalledChannel } from './installed-channel.ts'

export interface ChatDeliveriesOptions {
  readonly store: Store
  readonly channels: ReadonlyMap<string, InstalledChannel>
  readonly logger: Logger
}

interface UnderWay {
  readonly over: Promise<void>
  readonly stop: AbortController
  /** There may be more than it has seen. */
  isAskedAgain: boolean
}

/** The chats that are being delivered to their channels by this process, each by one delivery at a time. */
export class ChatDeliveries {
  readonly #options: ChatDeliveriesOptions
  readonly #closing = new AbortController()
  readonly #underWay = new Map<LogName, UnderWay>()

  constructor(options: ChatDeliveriesOptions) {
    this.#options = options
  }

  /** Follows a chat until everything in it is delivered and nothing more is on its way. Not every chat is in a channel. */
  deliver(chat: ChatKey): void {
    const name = logName(chat)
    const known = this.#underWay.get(name)
    if (known !== undefined) known.isAskedAgain = true
    if (known !== undefined || this.#closing.signal.aborted) return
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#closing.signal, stop.signal])
    const over = this.#deliverAll(chat, signal).finally(() => {
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
    // Only what is asked for from now on is of a chat that will be there.
    known.isAskedAgain = false
    known.stop.abort()
    await known.over
  }

  /** Ends them all. What is not confirmed is sent by the next process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#underWay.values()].map(({ over }) => over))
  }

  // Only the store can fail here: a channel's failures are dealt with below.
  async #deliverAll(chat: ChatKey, signal: AbortSignal): Promise<void> {
    for (let delayMs = 1_000; !signal.aborted; delayMs = Math.min(delayMs * 2, 60_000)) {
      try {
        while (await this.#deliverNext(chat, signal)) delayMs = 1_000
        return
      } catch (error) {
        // Its log is gone, and with it what was being delivered. What the chat is now, the next look tells.
        const isRemoved = error instanceof LogError && error.code === 'unknown-position'
        if (signal.aborted || isRemoved) continue
        this.#options.logger.error(
          { err: error, chatId: chat.chatId },
          'a chat could not be delivered; it is tried again',
        )
        await sleep(delayMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  /** Delivers the chat's next run, waiting for its end; false when there is none. */
  async #deliverNext(chat: ChatKey, signal: AbortSignal): Promise<boolean> {
    const { store, channels, logger } = this.#options
    const tied = await store.channelChats.get(chat)
    const installed = tied && channels.get(tied.channel)
    if (tied === undefined || installed === undefined || signal.aborted) return false
    const name = logName(chat)
    const { epoch, seq } = await store.log.open(name)
    const after = tied.delivered.epoch === epoch ? tied.delivered : { epoch, seq: 0 }
    if (after.seq >= seq) return false
    if (!(await hasAnswerBetween(store, { name, after, upTo: seq })) && !(await isAnswering(store, tied))) {
      // What is there is nothing for a channel: messages were changed, or one was sent to a person.
      await store.outbox.advance(chat, { epoch, seq })
      return false
    }
    await deliverRun({
      channel: installed.channel,
      target: tied.target,
      entries: follow(store.log, name, { after, signal }),
      outbox: {
        load: () => store.outbox.load(chat),
        add: item => store.outbox.add(chat, item),
        settle: item => store.outbox.settle(chat, item),
        rewrite: item => store.outbox.rewrite(chat, item),
        advance: to => store.outbox.advance(chat, { epoch, seq: to }),
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

interface LogPart {
  readonly name: LogName
  readonly after: Position
  readonly upTo: number
}

/** Whether an answer begins in a part of the log. Most often its second entry is the beginning of one. */
async function hasAnswerBetween({ log }: Store, { name, ...part }: LogPart): Promise<boolean> {
  for await (const page of pagesBetween(log, name, part))
    if (page.some(({ chunk }) => chunk.type === 'start')) return true
  return false
}

async function isAnswering({ runs }: Store, chat: ChannelChat): Promise<boolean> {
  const run = await runs.active(chat)
  return run !== undefined && hasAnswer(run)
}
