import { createHash } from 'node:crypto'
import type { ApprovalDecision, ApprovalDesk } from '@throughline/agents/internal'
import { type ChatId, type OwnerId, randomHex } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'

/** A person's decision on a tool call. */
export interface Decision extends ApprovalDecision {
  /** The chat in which the person decides, if they named one. */
  readonly chatId?: ChatId
}

/** What became of a decision. `not-waiting`: the call was decided before, or is over. */
export type DecisionResult = 'decided' | 'not-waiting' | 'not-found'

interface WaitingCall {
  readonly runId: Run['id']
  readonly resolve: (decision: ApprovalDecision) => void
}

/** The tool calls of this process that wait for a person's decision. Their records are in the store. */
export class ApprovalWaits {
  readonly #store: Store
  readonly #now: () => Date
  readonly #waiting = new Map<string, WaitingCall>()

  constructor(store: Store, now: () => Date) {
    this.#store = store
    this.#now = now
  }

  /** Returns what the calls of one run use to ask for a decision. */
  deskOf(run: Run): ApprovalDesk {
    return {
      open: async request => {
        const id = `approval_${randomHex(16)}`
        const { promise: decided, resolve } = Promise.withResolvers<ApprovalDecision>()
        const { messageId, toolCallId, toolName } = request
        await this.#store.approvals.open({
          id,
          ownerId: run.ownerId,
          chatId: run.chatId,
          runId: run.id,
          messageId,
          toolCallId,
          toolName,
          inputHash: hashOf(request.input),
          createdAt: this.#now().toISOString(),
        })
        this.#waiting.set(id, { runId: run.id, resolve })
        return { id, decided }
      },
      attach: async id => {
        const { promise: decided, resolve } = Promise.withResolvers<ApprovalDecision>()
        this.#waiting.set(id, { runId: run.id, resolve })
        // Somebody may have decided after the process died, or right before. Their decision counts.
        const { status, reason } = (await this.#store.approvals.find(run.ownerId, id)) ?? { status: 'void' }
        if (status !== 'pending') {
          this.#waiting.delete(id)
          resolve({ approved: status === 'approved', ...(reason === undefined ? {} : { reason }) })
        }
        return { decided }
      },
      withdraw: async id => {
        const isFirst = await this.#store.approvals.settle(run.ownerId, id, {
          status: 'expired',
          at: this.#now().toISOString(),
        })
        this.#waiting.delete(id)
        if (isFirst) return undefined
        const { status } = (await this.#store.approvals.find(run.ownerId, id)) ?? {}
        return status === 'approved' || status === 'denied' ? { approved: status === 'approved' } : undefined
      },
    }
  }

  /** Returns whether a call of the run waits for a decision now. */
  isAsking(run: Pick<Run, 'id'>): boolean {
    return [...this.#waiting.values()].some(({ runId }) => runId === run.id)
  }

  /**
   * Takes a person's decision. It is saved before the call goes on. Only the first decision counts. With a `chatId`,
   * an approval of another chat is not found.
   */
  async decide(ownerId: OwnerId, id: string, decision: Decision): Promise<DecisionResult> {
    const { approved, reason, chatId } = decision
    const found = await this.#store.approvals.find(ownerId, id)
    if (found === undefined || found.chatId !== (chatId ?? found.chatId)) return 'not-found'
    const status = approved ? 'approved' : 'denied'
    const isFirst = await this.#store.approvals.settle(ownerId, id, {
      status,
      reason,
      at: this.#now().toISOString(),
    })
    if (!isFirst) return 'not-waiting'
    this.#waiting.get(id)?.resolve({ approved, reason })
    this.#waiting.delete(id)
    return 'decided'
  }
}

function hashOf(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? '')
    .digest('hex')
}
