import { noContext } from '@throughline/agents/run/request-context'
import type { Inbound } from '@throughline/channels/channel'
import { type ChatId, isChatId, isMessageId, type OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import type { Runner } from '../runs/runner.ts'
import type { Submission } from '../runs/submission.ts'

export interface InboundOptions {
  readonly store: Store
  readonly runner: Runner
  readonly now: () => Date
  readonly channel: string
  readonly ownerId: OwnerId
  /** Who answers. */
  readonly agent: { readonly name: string; readonly displayName: string }
  /** Who answers in chats that a person has taken over. */
  readonly operator: { readonly name: string; readonly displayName: string }
}

/**
 * A message from a channel, as a submission: the conversation is the chat, and the platform's id of the message is
 * the message's id, so one that comes twice starts one run. A new message interrupts the answer to the one before.
 * Returns nothing when the message was taken before and then deleted, alone or with its chat: it is not answered again.
 */
export async function acceptInbound(options: InboundOptions, inbound: Inbound): Promise<Run | undefined> {
  const { store, runner, now, channel, ownerId } = options
  const chatId = chatIdOf(channel, inbound.conversation)
  const messageId = `${inboundPrefix}${inbound.id}`
  if (!isMessageId(messageId)) throw unusable(channel, 'message', inbound.id)
  const at = now().toISOString()
  const chat = { id: chatId, title: '', createdAt: at, updatedAt: at }
  // Tied first: should we die in between, the platform tells us again, and nothing is in the chat yet.
  const tie = { channel, target: inbound.target, incoming: { messageId, at } }
  if (!(await store.channelChats.tie(ownerId, chat, tie))) return undefined
  const tied = await store.channelChats.get({ ownerId, chatId })
  const agent = tied?.takenOverBy === undefined ? options.agent : options.operator
  const submission: Submission = {
    ownerId,
    chatId,
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
    context: noContext,
    proposedAnswerId: undefined,
    onBusy: 'interrupt',
  }
  return runner.submit(submission).catch(error => {
    if (error instanceof ProblemError && error.code === 'message-deleted') return undefined
    throw error
  })
}

const inboundPrefix = 'in_'

/** The channel's own id of a message that came in through it. */
export function inboundId(messageId: string): string | undefined {
  return messageId.startsWith(inboundPrefix) ? messageId.slice(inboundPrefix.length) : undefined
}

/** The chat that a conversation in a channel is. */
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
