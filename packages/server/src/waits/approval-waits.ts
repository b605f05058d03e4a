import type { ApprovalDecision, ApprovalDesk } from '@throughline/agents/internal'
import { type ChatId, type OwnerId, randomHex } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import type { FoundApproval, Run } from '@throughline/store'
import { type CallWaits, type CallWaitsOptions, inputHash } from './call-waits.ts'

/** A person's decision on a tool call. */
export interface Decision extends ApprovalDecision {
  /** The chat in which the person decides, if they named one. */
  readonly chatId?: ChatId
}

/** What became of a decision. `not-waiting`: the call was decided before, or is over. */
export type SettledDecision = 'decided' | 'not-waiting' | 'not-found'

/** What waiting for decisions needs. */
export interface ApprovalOptions extends CallWaitsOptions {
  readonly waits: CallWaits
}

/** The tool calls that wait for a person's decision. A decision may be taken by any process that shares the store. */
export class ApprovalWaits {
  readonly #options: ApprovalOptions

  constructor(options: ApprovalOptions) {
    this.#options = options
  }

  /** Returns what the calls of one run use to ask for a decision. */
  deskOf(run: Run): ApprovalDesk {
    const { store, now, waits } = this.#options
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
          inputHash: inputHash(request.input),
          createdAt: now().toISOString(),
        })
        // For the lists of chats, which show that somebody has to decide.
        store.signals.ring(run)
        return { id, decided: waits.wait(run, id).then(decisionOf) }
      },
      attach: async id => {
        // Somebody may have decided after the process died, or right before. Their decision counts.
        const found = await store.approvals.find(run.ownerId, id)
        return found?.status === 'pending'
          ? { decided: waits.waitAgain(run, id).then(decisionOf) }
          : { decided: Promise.resolve(found === undefined ? refused : decisionOf(found)) }
      },
      withdraw: async id => {
        const found = await waits.withdraw(run, id)
        return found && isDecided(found) ? decisionOf(found) : undefined
      },
    }
  }

  /**
   * Takes a person's decision. It is saved before the call goes on. Only the first decision counts. With a `chatId`,
   * an approval of another chat is not found.
   */
  async decide(ownerId: OwnerId, id: string, decision: Decision): Promise<SettledDecision> {
    const { store, now, waits } = this.#options
    const { approved, reason, chatId } = decision
    const found = await store.approvals.find(ownerId, id)
    if (found?.kind !== 'approval' || found.chatId !== (chatId ?? found.chatId)) return 'not-found'
    const status = approved ? 'approved' : 'denied'
    const isFirst = await store.approvals.settle(ownerId, id, { status, reason, at: now().toISOString() })
    if (!isFirst) return 'not-waiting'
    await waits.tell({ ownerId, chatId: found.chatId }, id)
    return 'decided'
  }
}

const refused: ApprovalDecision = { approved: false }

function isDecided({ status }: FoundApproval): boolean {
  return status === 'approved' || status === 'denied'
}

/** Returns what a person decided. A call that nobody decided about is not approved. */
function decisionOf({ status, reason }: FoundApproval): ApprovalDecision {
  return { approved: status === 'approved', ...defined({ reason }) }
}
