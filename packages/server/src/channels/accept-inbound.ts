import type { RequestContext } from '@throughline/agents/internal'
import type { DecisionResult, Inbound, InboundDecision } from '@throughline/channels'
import { type ChatId, isChatId, isMessageId, type OwnerId, ProblemError } from '@throughline/protocol'
import type { FoundApproval, Run, Store } from '@throughline/store'
import type { Submission } from '../admission/submission.ts'
import type { Runner } from '../runs/runner.ts'
import type { ApprovalWaits } from '../waits/approval-waits.ts'
import type { OutputWaits } from '../waits/output-waits.ts'
import { plainSender } from '../who/sender.ts'

/** What taking a message from a channel needs. */
export interface InboundOptions {
  readonly store: Store
  readonly runner: Runner
  readonly outputs: OutputWaits
  readonly now: () => Date
  readonly channel: string
  readonly ownerId: OwnerId
  /** Who answers. */
  readonly agent: { readonly name: string; readonly displayName: string }
  /** Who answers in chats that a person has taken over. */
  readonly operator: { readonly name: string; readonly displayName: string }
  /** Where the people of the channel are. */
  readonly context: RequestContext
}

/**
 * Takes a message that came in through a channel, and starts its run. The chat is the one of the conversation. The
 * message id is made from the platform's id, so a message that comes twice starts one run. A new message interrupts
 * the answer to the message before.
 *
 * When an answer has asked the sender a question and waits, the message is the answer to it, and starts no run.
 *
 * Returns `undefined` when the message was taken before and then deleted, alone or with its chat. It is not answered
 * again.
 */
export async function acceptInbound(options: InboundOptions, inbound: Inbound): Promise<Run | undefined> {
  const { store, runner, now, channel, ownerId } = options
  const chatId = chatIdOf(channel, inbound.conversation)
  const messageId = `${inboundPrefix}${inbound.id}`
  if (!isMessageId(messageId)) throw unusable(channel, 'message', inbound.id)
  const at = now().toISOString()
  // The chat is tied before the message is submitted. If the process dies in between, the platform sends the message
  // again, and the chat is still empty.
  if (!(await tieChat(options, inbound, { chatId, messageId, at }))) return undefined
  const answered = await answerQuestion(options, { chatId, messageId, inbound })
  if (answered !== undefined) return answered
  const tied = await store.channelChats.get({ ownerId, chatId })
  const agent = tied?.takenOverBy === undefined ? options.agent : options.operator
  const submission: Submission = {
    ownerId,
    chatId,
    sender: plainSender,
    kind: 'answer',
    place: { type: 'end' },
    message: {
      id: messageId,
      role: 'user',
      parts: [{ type: 'text', text: inbound.text }],
      metadata: {
        ...(inbound.senderName === '' ? {} : { senderName: inbound.senderName }),
        receiverName: agent.displayName,
        communicationType: tied?.takenOverBy === undefined ? 'user-to-agent' : 'user-to-user',
        createdAt: at,
        originalMessageId: inbound.id,
        channel,
        senderId: inbound.senderId,
      },
    },
    agent: agent.name,
    context: options.context,
    proposedAnswerId: undefined,
    onBusy: 'interrupt',
  }
  return runner.submit(submission).catch(error => {
    if (error instanceof ProblemError && error.code === 'message-deleted') return undefined
    throw error
  })
}

interface Incoming {
  readonly chatId: ChatId
  readonly messageId: string
  readonly at: string
}

/** Returns false when the message was removed with its chat a short time ago. */
function tieChat(
  { store, channel, ownerId }: InboundOptions,
  { target }: Inbound,
  { chatId, messageId, at }: Incoming,
): Promise<boolean> {
  const chat = { id: chatId, title: '', createdAt: at, updatedAt: at }
  return store.channelChats.tie(ownerId, chat, { channel, target, incoming: { messageId, at } })
}

/**
 * Ties the chat of a run to the channel if that was lost: a standby without it took over before the run was claimed there.
 * Returns whether it was. Then nobody delivers the run yet.
 */
export async function tieAgain(options: InboundOptions, inbound: Inbound, run: Run): Promise<boolean> {
  const { chatId, userMessageId: messageId } = run
  if ((await options.store.channelChats.get(run)) !== undefined) return false
  return tieChat(options, inbound, { chatId, messageId, at: options.now().toISOString() })
}

/** Returns the run that goes on with this message, or did, if it is the answer to a question of the run's agent. */
async function answerQuestion(
  { store, outputs, ownerId }: InboundOptions,
  { chatId, messageId, inbound }: { chatId: ChatId; messageId: string; inbound: Inbound },
): Promise<Run | undefined> {
  // The platform may send a message twice, the second time when the answer to it is long over.
  const earlier = await store.approvals.answeredBy({ ownerId, chatId }, messageId)
  if (earlier !== undefined) return store.runs.get(ownerId, earlier.runId)
  const run = await store.runs.active({ ownerId, chatId })
  if (run === undefined) return undefined
  const asked = await store.approvals.outputsOfRun(ownerId, run.id)
  const open = asked.find(({ kind, status }) => kind === 'question' && status === 'pending')
  if (open === undefined || (await senderOf(store, run)) !== inbound.senderId) return undefined
  const given = { type: 'output', output: inbound.text } as const
  const result = await outputs.give({ ownerId, id: open.id, chatId, by: messageId }, given)
  return result === 'given' ? run : undefined
}

/** Returns the platform's id of the person whose message the run answers, if it came through a channel. */
async function senderOf({ messages }: Store, run: Run): Promise<unknown> {
  return (await messages.find(run, run.userMessageId))?.metadata?.['senderId']
}

const inboundPrefix = 'in_'

/** Returns the platform's id of a message that came in through a channel, and `undefined` for other messages. */
export function inboundId(messageId: string): string | undefined {
  return messageId.startsWith(inboundPrefix) ? messageId.slice(inboundPrefix.length) : undefined
}

/**
 * Returns the id of the chat for a conversation in a channel. Throws when the conversation's name cannot be part of
 * an id.
 */
export function chatIdOf(channel: string, conversation: string): ChatId {
  const id = `${channel}:${conversation}`
  if (!isChatId(id)) throw unusable(channel, 'conversation', conversation)
  return id
}

function unusable(channel: string, what: string, id: string): ProblemError {
  return new ProblemError(
    400,
    'invalid-id',
    `Channel ${channel} named a ${what} ${JSON.stringify(id.slice(0, 200))}, which cannot be an id here.`,
  )
}

/** What taking a decision from a channel needs. */
interface DecideOptions {
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
