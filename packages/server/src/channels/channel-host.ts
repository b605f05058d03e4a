import type { Agent } from '@throughline/agents'
import {
  ChannelError,
  type Decide,
  type HookRequest,
  type HookResponse,
  type Inbox,
} from '@throughline/channels'
import { logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import { retry, untilAborted } from '@throughline/protocol/internal'
import type { Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import { ownJobs } from '../nodes/jobs.ts'
import type { ServerNode } from '../nodes/server-node.ts'
import type { Runner } from '../runs/runner.ts'
import type { ApprovalWaits } from '../waits/approval-waits.ts'
import type { OutputWaits } from '../waits/output-waits.ts'
import { plainSender } from '../who/sender.ts'
import { acceptInbound, decideInbound, tieAgain } from './accept-inbound.ts'
import { ChatDeliveries } from './chat-deliveries.ts'
import { answeringAgent, assertUsable, contextIn, type InstalledChannel } from './installed-channel.ts'
import type { OperatorDesk } from './operator-desk.ts'
import { type Saying, sayAsOperator } from './say-as-operator.ts'

/** Takes the requests of a platform. */
export interface HookTaker {
  /** Returns the response to a request that is refused because of its headers, before its body is read. */
  readonly refuse: (headers: HookRequest['headers']) => HookResponse | undefined
  readonly take: (request: HookRequest) => Promise<HookResponse>
}

/** What the channels of a server need. */
export interface ChannelHostOptions {
  readonly store: Store
  readonly runner: Runner
  readonly approvals: ApprovalWaits
  readonly outputs: OutputWaits
  readonly agents: ReadonlyMap<string, Agent>
  readonly desk: OperatorDesk
  readonly channels: ReadonlyMap<string, InstalledChannel>
  readonly logger: Logger
  readonly now: () => Date
  /** This process among those that share the store. Default: no other process uses it. */
  readonly node?: Pick<ServerNode, 'id' | 'jobs'> | undefined
}

/** The channels of this process. Messages that come in start runs, and answers are sent out. */
export class ChannelHost {
  readonly #options: ChannelHostOptions
  readonly #closing = new AbortController()
  readonly #deliveries: ChatDeliveries
  readonly #polls: Promise<void>[] = []

  constructor(options: ChannelHostOptions) {
    for (const [name, installed] of options.channels) {
      assertUsable(options.agents, name, installed)
      installed.channel.setClock?.(options.now)
    }
    this.#options = options
    this.#deliveries = new ChatDeliveries({ ...options, nodeId: options.node?.id })
  }

  /** How many chats are being sent to a channel. */
  get deliveryCount(): number {
    return this.#deliveries.count
  }

  /** Delivers what an earlier process did not deliver, and starts to listen to the channels. */
  async start(): Promise<void> {
    const { channels, node } = this.#options
    await this.deliverLeft()
    const jobs = node?.jobs ?? ownJobs
    for (const [name, installed] of channels) {
      if (installed.channel.poll === undefined) continue
      const work = (signal: AbortSignal) => this.#poll(name, installed, signal)
      this.#polls.push(jobs.run(`poll ${name}`, this.#closing.signal, work))
    }
  }

  /** Delivers what an earlier process, or a dead node, did not deliver. Leaves out what other nodes deliver now. */
  async deliverLeft(): Promise<void> {
    const { store, node } = this.#options
    const left = await store.channelChats.undelivered()
    const elsewhere = node === undefined ? new Set() : await store.deliveryOwners.elsewhere(node.id)
    for (const chat of left) if (!elsewhere.has(logName(chat))) this.#deliveries.deliver(chat)
  }

  /** Returns what takes a platform's requests. `undefined` when there is no such channel, or it takes no requests. */
  hookTaker(name: string): HookTaker | undefined {
    const installed = this.#options.channels.get(name)
    const { channel } = installed ?? {}
    if (installed === undefined || channel?.hook === undefined) return undefined
    const take = channel.hook.bind(channel)
    return {
      refuse: headers => channel.refuseHook?.(headers),
      take: request => take(request, this.#inbox(name, installed), this.#decide(name, installed)),
    }
  }

  /** Called when a run has begun. If its chat is in a channel, its answer is sent there. */
  onRun(run: Run): void {
    if (this.#options.channels.size > 0) this.#deliveries.deliver(run)
  }

  /** Stops sending for a chat that is about to be removed. */
  leave(chat: ChatKey): Promise<void> {
    return this.#deliveries.stop(chat)
  }

  /**
   * Lets a person say something in place of the agent. Resolves with `undefined` when nobody has written in the chat
   * yet.
   */
  reply(saying: Saying): Promise<Run | undefined> {
    return sayAsOperator(this.#options, saying)
  }

  /**
   * Lets the agent answer again after a person has taken the chat over. If a message waits for the person, the agent
   * answers it now.
   */
  async giveBack(chat: ChatKey): Promise<void> {
    const { store, runner, desk, channels, agents } = this.#options
    const tied = await store.channelChats.get(chat)
    const installed = tied && channels.get(tied.channel)
    const run = await store.runs.active(chat)
    if (tied === undefined || installed === undefined || run?.agent !== desk.agent.name) return
    const messageId = run.userMessageId
    const message = await store.messages.find(chat, messageId)
    if (message === undefined) return
    await runner.submit({
      ownerId: chat.ownerId,
      chatId: chat.chatId,
      sender: plainSender,
      kind: 'another-answer',
      message: { ...message, id: messageId },
      agent: answeringAgent(agents, tied.channel, installed).name,
      context: contextIn(installed),
      proposedAnswerId: undefined,
      onBusy: 'interrupt',
    })
  }

  /** Stops listening and sending. What the channels have not confirmed is sent by the next process. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#polls, this.#deliveries.close()])
  }

  #inbox(name: string, installed: InstalledChannel): Inbox {
    const { agents, desk } = this.#options
    const { ownerId } = installed
    const agent = answeringAgent(agents, name, installed)
    const options = {
      ...this.#options,
      channel: name,
      ownerId,
      agent,
      operator: desk.agent,
      context: contextIn(installed),
    }
    return async inbound => {
      const run = await acceptInbound(options, inbound)
      if (run !== undefined && (await tieAgain(options, inbound, run))) this.#deliveries.deliver(run)
    }
  }

  #decide(name: string, { channel, ownerId }: InstalledChannel): Decide {
    const { store, approvals } = this.#options
    const { approvers = new Set() } = channel
    return decision => decideInbound({ store, approvals, channel: name, ownerId, approvers }, decision)
  }

  /** Listens to a channel until the signal aborts: the server closes, or another node listens. */
  async #poll(name: string, installed: InstalledChannel, signal: AbortSignal): Promise<void> {
    await retry(() => untilAborted(this.#pollOnce(name, installed, signal), signal), {
      firstMs: 1_000,
      maxMs: 60_000,
      // After a minute without a failure, the next failure counts as the first one.
      restartAfterMs: 60_000,
      signal,
      onFailure: (error, delayMs) => {
        if (signal.aborted) return undefined
        const facts = { err: error, channel: name }
        this.#options.logger.error(facts, 'a channel broke off; it is tried again')
        return delayMs
      },
    })
  }

  async #pollOnce(name: string, installed: InstalledChannel, signal: AbortSignal): Promise<never> {
    await installed.channel.poll?.(this.#inbox(name, installed), signal, this.#decide(name, installed))
    throw new ChannelError(
      'unavailable',
      `Channel ${name} stopped listening although the server did not close.`,
    )
  }
}
