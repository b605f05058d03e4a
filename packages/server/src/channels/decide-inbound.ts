import type { DecisionResult, InboundDecision } from '@throughline/channels'
import { isMessageId, type OwnerId } from '@throughline/protocol'
import type { FoundApproval, Store } from '@throughline/store'
import type { ApprovalWaits } from '../runs/approval-waits.ts'
import { chatIdOf } from './accept-inbound.ts'

/** What taking a decision from a channel needs. */
export interface DecideOptions {
  readonly store: Store
  readonly approvals: ApprovalWaits
  readonly channel: string
  readonly ownerId: OwnerId
  /** The platform's ids of the people who may decide. */
  readonly approvers: ReadonlySet<string>
}

/**
 * Takes a decision on an approval that came in through a channel. The approval must be of a chat in this channel. If
 * the channel names a conversation, it must be of that conversation. The person must be one of the channel's approvers, and
 * the run must answer a message from the channel. That a person has asked for the call does not allow them to approve it.
 */
export async function decideInbound(
  options: DecideOptions,
  { approvalId, approved, reason, conversation, senderId }: InboundDecision,
): Promise<DecisionResult> {
  const { store, approvals, channel, ownerId, approvers } = options
  const approval = await store.approvals.find(ownerId, approvalId)
  const chat = approval && (await store.channelChats.get({ ownerId, chatId: approval.chatId }))
  if (approval === undefined || chat?.channel !== channel) return 'not-found'
  const chatId = conversation === undefined ? chat.chatId : chatIdOf(channel, conversation)
  const isApprover = approvers.has(senderId) && (await isAskedHere(store, ownerId, approval))
  if (!isApprover) return 'not-allowed'
  return approvals.decide(ownerId, approvalId, { approved, reason, chatId })
}

/** Returns whether the run answers a message that came through a channel. */
async function isAskedHere(
  store: Store,
  ownerId: OwnerId,
  { chatId, runId }: FoundApproval,
): Promise<boolean> {
  const run = await store.runs.get(ownerId, runId)
  if (!isMessageId(run?.userMessageId)) return false
  const message = await store.messages.find({ ownerId, chatId }, run.userMessageId)
  return message?.metadata?.['senderId'] !== undefined
}
