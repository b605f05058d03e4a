import type { Agent } from '@throughline/agents/agent'
import type { Channel, HookRequest, HookResponse, Inbox } from '@throughline/channels/channel'
import { deliverRun } from '@throughline/channels/deliver-run'
import type { DeliveryOptions } from '@throughline/channels/delivery'
import { follow } from '@throughline/log/follow'
import { logName } from '@throughline/log/log-store'
import { type ChatId, createId, isMessageId, type OwnerId } from '@throughline/protocol/ids'
import type { ChannelChat } from '@throughline/store/channel-chats'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import type { Logger } from 'pino'
import type { Runner } from '../runs/runner.ts'
import { acceptInbound, inboundId } from './accept-inbound.ts'
import type { OperatorDesk } from './operator-desk.ts'

/** A channel of this installation. */
export interface InstalledChannel {
  readonly channel: Channel
  /** Whose chats its conversations are. */
  readonly ownerId: OwnerId
  /** Who answers; by default the first agent. */
  readonly agent?: string | undefined
  readonly delivery?: DeliveryOptions | undefined
}

export interface ChannelHostOptions {
  readonly store: Store
  readonly runner: Runner
  readonly agents: ReadonlyMap<string, Agent>
  readonly operators: OperatorDesk
  readonly channels: ReadonlyMap<string, InstalledChannel>
  readonly logger: Logger
  readonly now: () => Date
}

/** The channels of this process: what comes in starts runs, and what is answered goes out. */
export class ChannelHost {
  readonly #options: ChannelHostOptions
  readonly #closing = new AbortController()
  /** The chats that are being delivered, by log; asked for again when there may be more than it has seen. */
  readonly #deliveries = new Map<string, { readonly over: Promise<void>; isAskedAgain: boolean }>()
  readonly #polls: Promise<void>[] = []

  constructor(options: ChannelHostOptions) {
    this.#options = options
  }

  /** Delivers what an earlier process left undelivered, and begins to listen. */
  async start(): Promise<void> {
    for (const chat of await this.#options.store.channelChats.undelivered()) this.#deliver(chat)
    for (const [name, { channel }] of this.#options.channels) {
      if (channel.poll !== undefined) this.#polls.push(this.#poll(name, channel))
    }
  }

  /** Answers a platform's request; `undefined` when there is no such channel, or it takes none. */
  async hook(name: string, request: HookRequest): Promise<HookResponse | undefined> {
    const installed = this.#options.channels.get(name)
    return installed?.channel.hook?.(request, this.#inbox(name, installed))
  }

  /** A run has begun: if its chat is in a channel, its answer goes there too. */
  async onRun({ ownerId, chatId }: Run): Promise<void> {
    const chat = await this.#options.store.channelChats.get(ownerId, chatId)
    if (chat !== undefined) this.#deliver(chat)
  }

  /** A person says something in place of the agent: the answer that is waited for, or one more message. */
  async reply(ownerId: OwnerId, chatId: ChatId, text: string): Promise<Run | undefined> {
    const { store, runner, operators } = this.#options
    const active = await store.runs.active(ownerId, chatId)
    if (active?.agent === operators.agent.name) {
      operators.reply(active.answerId, text)
      return active
    }
    const outline = await store.messages.outline(ownerId, chatId)
    const asked = outline.findLast(({ role }) => role === 'user')?.id
    const message = isMessageId(asked) ? await store.messages.find(ownerId, chatId, asked) : undefined
    if (message === undefined || !isMessageId(asked)) return undefined
    const answerId = createId(isMessageId, 'msg')
    operators.reply(answerId, text)
    return runner.submit({
      ownerId,
      chatId,
      messageId: asked,
      kind: 'follow-up',
      message,
      agent: operators.agent.name,
      context: { tabs: [] },
      proposedAnswerId: answerId,
      onBusy: 'interrupt',
    })
  }

  /** Ends what listens and what is being sent. What is not confirmed is sent by the next process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([...this.#polls, ...[...this.#deliveries.values()].map(({ over }) => over)])
  }

  #inbox(name: string, { ownerId, agent }: InstalledChannel): Inbox {
    const { agents, operators } = this.#options
    const [first] = agents.values()
    const answering = agent === undefined ? first : agents.get(agent)
    if (answering === undefined)
      throw new TypeError(`Channel ${name} names the agent "${agent}", which does not exist.`)
    const options = { ...this.#options, channel: name, ownerId, agent: answering, operator: operators.agent }
    return async inbound => void (await acceptInbound(options, inbound))
  }

  async #poll(name: string, channel: Channel): Promise<void> {
    const { channels, logger } = this.#options
    const { signal } = this.#closing
    const installed = channels.get(name)
    for (let delayMs = 1_000; !signal.aborted && installed !== undefined; ) {
      const startedAt = performance.now()
      try {
        await channel.poll?.(this.#inbox(name, installed), signal)
      } catch (error) {
        if (signal.aborted) return
        logger.error({ err: error, channel: name }, 'a channel broke off; it is tried again')
      }
      // What went well for a while has broken for the first time.
      if (performance.now() - startedAt > 60_000) delayMs = 1_000
      await pause(delayMs, signal)
      delayMs = Math.min(delayMs * 2, 60_000)
    }
  }

  /** Follows a chat until everything in it has been delivered and nothing more is on its way. */
  #deliver(chat: ChannelChat): void {
    const name = logName(chat.ownerId, chat.chatId)
    const known = this.#deliveries.get(name)
    if (known !== undefined) known.isAskedAgain = true
    if (known !== undefined || this.#closing.signal.aborted) return
    const over = this.#deliverAll(chat).finally(() => {
      const isAskedAgain = this.#deliveries.get(name)?.isAskedAgain === true
      this.#deliveries.delete(name)
      if (isAskedAgain) this.#deliver(chat)
    })
    this.#deliveries.set(name, { over, isAskedAgain: false })
  }

  // Only the store can fail here: a channel's failures are dealt with below.
  async #deliverAll(chat: ChannelChat): Promise<void> {
    const { logger } = this.#options
    const { signal } = this.#closing
    for (let delayMs = 1_000; !signal.aborted; delayMs = Math.min(delayMs * 2, 60_000)) {
      try {
        while (await this.#deliverNext(chat)) delayMs = 1_000
        return
      } catch (error) {
        if (signal.aborted) return
        const facts = { err: error, chatId: chat.chatId, channel: chat.channel }
        logger.error(facts, 'a chat could not be delivered; it is tried again')
        await pause(delayMs, signal)
      }
    }
  }

  /** Delivers the chat's next run, waiting for its end; false when there is none. */
  async #deliverNext({ ownerId, chatId, channel: channelName }: ChannelChat): Promise<boolean> {
    const { store, channels, logger } = this.#options
    const { signal } = this.#closing
    const name = logName(ownerId, chatId)
    const installed = channels.get(channelName)
    const chat = await store.channelChats.get(ownerId, chatId)
    if (installed === undefined || chat === undefined || signal.aborted) return false
    const { epoch, seq } = await store.log.open(name)
    const after = chat.delivered.epoch === epoch ? chat.delivered : { epoch, seq: 0 }
    if (after.seq >= seq) return false
    await deliverRun({
      channel: installed.channel,
      target: chat.target,
      entries: follow(store.log, name, { after, signal }),
      outbox: {
        load: () => store.outbox.load(ownerId, chatId),
        add: item => store.outbox.add(ownerId, chatId, item),
        settle: item => store.outbox.settle(ownerId, chatId, item),
        rewrite: item => store.outbox.rewrite(ownerId, chatId, item),
        advance: to => store.outbox.advance(ownerId, chatId, { epoch, seq: to }),
      },
      inboundId,
      readFile: fileId => store.files.read(ownerId, chatId, fileId),
      report: (error, what) => logger.warn({ err: error, chatId, channel: channelName }, what),
      signal,
      options: installed.delivery ?? {},
    })
    return true
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
