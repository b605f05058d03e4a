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
}

/**
 * Takes a decision on an approval that came in through a channel. The approval must be of a chat in this channel. If
 * the channel names a conversation, it must be of that conversation. If the channel names the person, it must be the
 * one whose message the run answers.
 */
export async function decideInbound(
  options: DecideOptions,
  { approvalId, approved, reason, conversation, senderId }: InboundDecision,
): Promise<DecisionResult> {
  const { store, approvals, channel, ownerId } = options
  const approval = await store.approvals.find(ownerId, approvalId)
  const chat = approval && (await store.channelChats.get({ ownerId, chatId: approval.chatId }))
  if (approval === undefined || chat?.channel !== channel) return 'not-found'
  const chatId = conversation === undefined ? chat.chatId : chatIdOf(channel, conversation)
  if (senderId !== undefined && senderId !== (await askerOf(store, ownerId, approval))) return 'not-allowed'
  return approvals.decide(ownerId, approvalId, { approved, reason, chatId })
}

/**
 * Returns the platform's id of the person whose message the run answers, or `undefined` when the message did not come
 * through a channel.
 */
async function askerOf(store: Store, ownerId: OwnerId, { chatId, runId }: FoundApproval): Promise<unknown> {
  const run = await store.runs.get(ownerId, runId)
  if (!isMessageId(run?.userMessageId)) return undefined
  const message = await store.messages.find({ ownerId, chatId }, run.userMessageId)
  return message?.metadata?.['senderId']
}
