import type { RequestContext } from '@throughline/agents/context/request-context'
import { logName } from '@throughline/log/log-store'
import {
  type ChatId,
  createId,
  isMessageId,
  isRunId,
  type MessageId,
  type OwnerId,
} from '@throughline/protocol/ids'
import { type Message, textOf } from '@throughline/protocol/message'
import { ProblemError } from '@throughline/protocol/problem'
import type { Run } from '@throughline/store/runs'
import type { RunnerOptions } from './runner.ts'

/** What somebody asks for: an answer to one user message. */
export interface Submission {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly messageId: MessageId
  readonly message: Message
  readonly agent: string
  /** Where the person was when they sent it. */
  readonly context: RequestContext
  /** The client's proposal for the answer's id. */
  readonly proposedAnswerId: string | undefined
  readonly onBusy: 'reject' | 'queue' | 'interrupt'
}

export type Claim =
  | { readonly type: 'claimed'; readonly run: Run }
  /** The message was submitted before: this is its run, whatever became of it. */
  | { readonly type: 'attached'; readonly run: Run }
  | { readonly type: 'busy'; readonly activeRun: Run | undefined }

/** One submission is one run: claims the chat, or tells why not. */
export async function claimRun(
  { store, now }: Pick<RunnerOptions, 'store' | 'now'>,
  submission: Submission,
): Promise<Claim> {
  const { ownerId, chatId, messageId, message, agent } = submission
  const attached = await findRun(store, submission)
  if (attached !== undefined) return { type: 'attached', run: attached }

  const startedAt = now().toISOString()
  const { seq: afterSeq } = await store.log.open(logName(ownerId, chatId))
  const run: Run = {
    id: createId(isRunId, 'run'),
    ownerId,
    chatId,
    agent,
    userMessageId: messageId,
    answerId: await answerId(store, submission),
    afterSeq,
    startedAt,
    status: 'running',
  }
  const isClaimed = await store.runs.claim(run, {
    chat: { id: chatId, title: titleFrom(textOf(message)), createdAt: startedAt, updatedAt: startedAt },
    userMessage: { message, runId: run.id, seq: undefined },
  })
  if (isClaimed) return { type: 'claimed', run }
  // The same submission may have come twice at once; the other one won.
  const winner = await findRun(store, submission)
  if (winner !== undefined) return { type: 'attached', run: winner }
  return { type: 'busy', activeRun: await store.runs.active(ownerId, chatId) }
}

async function findRun(store: RunnerOptions['store'], submission: Submission): Promise<Run | undefined> {
  const { ownerId, chatId, messageId, message } = submission
  const saved = await store.messages.find(ownerId, chatId, messageId)
  if (saved === undefined) return undefined
  if (saved.role !== 'user' || JSON.stringify(saved.parts) !== JSON.stringify(message.parts)) {
    throw new ProblemError(
      409,
      'message-id-taken',
      `Chat ${chatId} already has another message with the id ${messageId}. Send a new message under a new id.`,
    )
  }
  return store.runs.ofUserMessage(ownerId, chatId, messageId)
}

// The server owns the answer's id. A proposal is taken when nobody else can be confused by it.
async function answerId(store: RunnerOptions['store'], submission: Submission): Promise<MessageId> {
  const { ownerId, chatId, messageId, proposedAnswerId: proposed } = submission
  const isFree =
    isMessageId(proposed) &&
    proposed !== messageId &&
    (await store.messages.find(ownerId, chatId, proposed)) === undefined &&
    !(await store.runs.hasAnswer(ownerId, chatId, proposed))
  return isFree ? proposed : createId(isMessageId, 'msg')
}

const maxTitleLength = 80

/** A chat's title: the beginning of its first user text, on one line. */
function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= maxTitleLength ? line : `${characters.slice(0, maxTitleLength - 1).join('')}…`
}
