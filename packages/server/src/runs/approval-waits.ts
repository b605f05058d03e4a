import { createHash } from 'node:crypto'
import type { ApprovalDecision, ApprovalDesk } from '@throughline/agents/internal'
import { type ChatId, type ChatKey, type OwnerId, randomHex } from '@throughline/protocol'
import type { ApprovalName, FoundApproval, Run, Store } from '@throughline/store'
import type { Logger } from 'pino'
import { pollPause } from '../signals/poll-pause.ts'

/** A person's decision on a tool call. */
export interface Decision extends ApprovalDecision {
  /** The chat in which the person decides, if they named one. */
  readonly chatId?: ChatId
}

/** What became of a decision. `not-waiting`: the call was decided before, or is over. */
export type DecisionResult = 'decided' | 'not-waiting' | 'not-found'

/** What waiting for decisions needs. */
export interface ApprovalOptions {
  readonly store: Pick<Store, 'approvals' | 'signals'>
  readonly now: () => Date
  readonly logger: Logger
}

interface WaitingCall {
  readonly name: ApprovalName
  readonly resolve: (decision: ApprovalDecision) => void
  readonly endRings: () => void
}

/**
 * The tool calls of this process that wait for a person's decision. Their records are in the store. A decision may be
 * taken by any process that shares the store.
 */
export class ApprovalWaits {
  readonly #options: ApprovalOptions
  readonly #waiting = new Map<string, WaitingCall>()
  #isPolling = false

  constructor(options: ApprovalOptions) {
    this.#options = options
  }

  /** Returns what the calls of one run use to ask for a decision. */
  deskOf(run: Run): ApprovalDesk {
    const { store, now } = this.#options
    return {
      open: async request => {
        const id = `approval_${randomHex(16)}`
        const { messageId, toolCallId, toolName } = request
        await store.approvals.open({
          id,
          ownerId: run.ownerId,
          chatId: run.chatId,
          runId: run.id,
          messageId,
          toolCallId,
          toolName,
          inputHash: hashOf(request.input),
          createdAt: now().toISOString(),
        })
        // For the lists of chats, which show that somebody has to decide.
        store.signals.ring(run)
        return { id, decided: this.#decided(run, id) }
      },
      attach: async id => {
        // Somebody may have decided after the process died, or right before. Their decision counts.
        const found = await store.approvals.find(run.ownerId, id)
        if (found?.status !== 'pending')
          return { decided: Promise.resolve((found && decisionOf(found)) ?? { approved: false }) }
        const decided = this.#decided(run, id)
        // They may also have decided since the row was read.
        void this.#look([{ ownerId: run.ownerId, id }])
        return { decided }
      },
      withdraw: async id => {
        const isFirst = await store.approvals.settle(run.ownerId, id, {
          status: 'expired',
          at: now().toISOString(),
        })
        this.#leave(id)
        store.signals.ring(run)
        if (isFirst) return undefined
        const found = await store.approvals.find(run.ownerId, id)
        return found && decisionOf(found)
      },
    }
  }

  /**
   * Takes a person's decision. It is saved before the call goes on. Only the first decision counts. With a `chatId`,
   * an approval of another chat is not found.
   */
  async decide(ownerId: OwnerId, id: string, decision: Decision): Promise<DecisionResult> {
    const { store, now } = this.#options
    const { approved, reason, chatId } = decision
    const found = await store.approvals.find(ownerId, id)
    if (found === undefined || found.chatId !== (chatId ?? found.chatId)) return 'not-found'
    const status = approved ? 'approved' : 'denied'
    const isFirst = await store.approvals.settle(ownerId, id, { status, reason, at: now().toISOString() })
    if (!isFirst) return 'not-waiting'
    this.#resolve(id, { approved, reason })
    // The call may wait in another process.
    store.signals.ring({ ownerId, chatId: found.chatId })
    return 'decided'
  }

  /** Resolves with the decision on a call, whoever takes it. Never resolves when nobody decides. */
  #decided(chat: ChatKey, id: string): Promise<ApprovalDecision> {
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>()
    const name = { ownerId: chat.ownerId, id }
    const endRings = this.#options.store.signals.onRing(chat, () => void this.#look([name]))
    this.#waiting.set(id, { name, resolve, endRings })
    if (!this.#isPolling) void this.#poll()
    return promise
  }

  /** While calls wait, looks every two seconds, for rings that were lost. */
  async #poll(): Promise<void> {
    this.#isPolling = true
    while (this.#waiting.size > 0) {
      await pollPause()
      await this.#look([...this.#waiting.values()].map(({ name }) => name))
    }
    this.#isPolling = false
  }

  async #look(names: readonly ApprovalName[]): Promise<void> {
    const { store, logger } = this.#options
    try {
      for (const found of await store.approvals.settled(names)) {
        const decision = decisionOf(found)
        // A call that nobody decided in time, or whose run is over, does not wait for this any more.
        if (decision === undefined) this.#leave(found.id)
        else this.#resolve(found.id, decision)
      }
    } catch (error) {
      logger.warn({ err: error }, 'decisions could not be read; they are read again soon')
    }
  }

  #resolve(id: string, decision: ApprovalDecision): void {
    this.#waiting.get(id)?.resolve(decision)
    this.#leave(id)
  }

  #leave(id: string): void {
    this.#waiting.get(id)?.endRings()
    this.#waiting.delete(id)
  }
}

/** Returns what a person decided; `undefined` when nobody decided. */
function decisionOf({ status, reason }: FoundApproval): ApprovalDecision | undefined {
  if (status !== 'approved' && status !== 'denied') return undefined
  return { approved: status === 'approved', ...(reason === undefined ? {} : { reason }) }
}

function hashOf(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? '')
    .digest('hex')
}
