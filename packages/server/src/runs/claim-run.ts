import type { RequestContext } from '@throughline/agents/run/request-context'
import { logName } from '@throughline/log/log-store'
import { lastIn, previousOf } from '@throughline/protocol/branches'
import {
  type ChatId,
  type ChatKey,
  createId,
  isMessageId,
  isRunId,
  type MessageId,
} from '@throughline/protocol/ids'
import { type Message, textOf } from '@throughline/protocol/message'
import { ProblemError } from '@throughline/protocol/problem'
import type { Run } from '@throughline/store/runs'
import type { OnBusy } from './busy-move.ts'
import type { RunnerOptions } from './runner.ts'

/** What somebody asks for: an answer to one user message. */
export interface Submission extends ChatKey {
  readonly messageId: MessageId
  /** What the message gets; only for an `answer`, and for a `message` to a person, is it a new one. */
  readonly kind: Exclude<Run['kind'], 'change'>
  readonly message: Message
  /** The message that a new one follows, empty for none; by default the chat's last one. */
  readonly after?: string | undefined
  /**
   * What the sender's page showed before a new message, as far as we know it: a message, or empty for none. The message
   * follows it, if it is still there.
   */
  readonly shownAfter?: string | undefined
  readonly agent: string
  /** Where the person was when they sent it. */
  readonly context: RequestContext
  /** The client's proposal for the answer's id. */
  readonly proposedAnswerId: string | undefined
  readonly onBusy: OnBusy
}

export type Claim =
  | {
      readonly type: 'claimed'
      readonly run: Run
      readonly message: Message
      /** The id that the client expects the answer to have. */
      readonly expectedId: string | undefined
    }
  /** The message was submitted before: this is its run, whatever became of it. */
  | { readonly type: 'attached'; readonly run: Run }
  | { readonly type: 'busy'; readonly activeRun: Run | undefined }

/** One submission is one run: claims the chat, or tells why not. */
export async function claimRun(
  { store, now }: Pick<RunnerOptions, 'store' | 'now'>,
  submission: Submission,
): Promise<Claim> {
  const { ownerId, chatId, messageId, kind, agent } = submission
  // Before the look for a run: whoever takes the id in between is found by it then.
  const answerId = await freeAnswerId(store, submission)
  const attached = await findRun(store, submission)
  if (attached !== undefined) return { type: 'attached', run: attached }
  const inTheWay = await runBefore(store, submission)
  if (inTheWay !== undefined) return { type: 'busy', activeRun: inTheWay }

  const startedAt = now().toISOString()
  const { seq: afterSeq } = await store.log.open(logName(submission))
  const run: Run = {
    id: createId(isRunId, 'run'),
    ownerId,
    chatId,
    agent,
    userMessageId: messageId,
    answerId,
    afterSeq,
    startedAt,
    status: 'running',
    kind,
  }
  const isNew = kind === 'answer' || kind === 'message'
  const message = isNew ? await inItsPlace(store, submission) : submission.message
  const isClaimed = await store.runs.claim(run, {
    chat: { id: chatId, title: titleFrom(textOf(message)), createdAt: startedAt, updatedAt: startedAt },
    userMessage: isNew ? { message, runId: run.id, seq: undefined } : undefined,
  })
  if (isClaimed) return { type: 'claimed', run, message, expectedId: submission.proposedAnswerId }
  // The same submission may have come twice at once; the other one won.
  const winner = await findRun(store, submission)
  if (winner !== undefined) return { type: 'attached', run: winner }
  const activeRun = await store.runs.active(submission)
  if (activeRun === undefined) await assertStillThere(store, submission)
  return { type: 'busy', activeRun }
}

/** The run of a submission that came before: a message is known by its id, another answer by the id asked for it. */
export async function findRun(
  store: RunnerOptions['store'],
  submission: Submission,
): Promise<Run | undefined> {
  const { chatId, messageId, message, kind, proposedAnswerId } = submission
  if (kind !== 'answer' && kind !== 'message') {
    const run = isMessageId(proposedAnswerId)
      ? await store.runs.ofAnswer(submission, proposedAnswerId)
      : undefined
    return run?.userMessageId === messageId ? run : undefined
  }
  // The run first: it is made together with the message. A message that is not there afterwards was deleted, and is
  // not answered again when its request comes once more.
  const run = await store.runs.ofUserMessage(submission, messageId)
  const saved = await store.messages.find(submission, messageId)
  if (saved === undefined && run === undefined) return undefined
  if (saved === undefined) throw messageDeleted(chatId, messageId)
  if (saved.role !== 'user' || JSON.stringify(saved.parts) !== JSON.stringify(message.parts)) {
    throw new ProblemError(
      409,
      'message-id-taken',
      `Chat ${chatId} already has another message with the id ${messageId}. Send a new message under a new id.`,
    )
  }
  return run
}

function messageDeleted(chatId: ChatId, messageId: MessageId): ProblemError {
  return new ProblemError(
    409,
    'message-deleted',
    `Message ${messageId} of chat ${chatId} was deleted. Send a new message under a new id.`,
  )
}

/**
 * The run that has to end before the place of a message can be found: its answer is shown already but not saved, and
 * the message may follow it.
 */
async function runBefore(store: RunnerOptions['store'], submission: Submission): Promise<Run | undefined> {
  const { after, shownAfter } = submission
  const isPlaced = after !== undefined || shownAfter !== undefined
  return isPlaced ? store.runs.active(submission) : undefined
}

/**
 * A submission that has waited for a run to end. Its sender may have sent it before their page could show that run, from
 * another window for example: then the page showed everything but the run, and the message is no edit. It goes after it.
 */
export async function afterWaiting(
  store: RunnerOptions['store'],
  submission: Submission,
  run: Run,
): Promise<Submission> {
  const { shownAfter } = submission
  if (shownAfter === undefined || run.kind !== 'answer') return submission
  const isUnaware = previousOf(await store.messages.outline(submission), run.userMessageId) === shownAfter
  return isUnaware ? { ...submission, shownAfter: undefined } : submission
}

/** A message that is answered anew may have been removed with its chat meanwhile; a new one makes the chat anew. */
async function assertStillThere(store: RunnerOptions['store'], submission: Submission): Promise<void> {
  const { chatId, messageId, kind } = submission
  if (
    kind === 'answer' ||
    kind === 'message' ||
    (await store.messages.find(submission, messageId)) !== undefined
  )
    return
  throw new ProblemError(404, 'message-not-found', `Chat ${chatId} no longer has the message ${messageId}.`)
}

/** The message with a note of what it follows, when that is not the message before it. */
async function inItsPlace(store: RunnerOptions['store'], submission: Submission): Promise<Message> {
  const { chatId, message, shownAfter } = submission
  const after = submission.after ?? shownAfter
  if (after === undefined) return message
  const outline = await store.messages.outline(submission)
  if (after !== '' && previousOf(outline, after) === undefined) {
    if (submission.after === undefined) return message
    throw new ProblemError(
      400,
      'unknown-message',
      `The message cannot follow ${JSON.stringify(after.slice(0, 128))}: chat ${chatId} has no such user message or answer.`,
    )
  }
  if (after === lastIn(outline)) return message
  return { ...message, metadata: { ...message.metadata, previousMessageId: after } }
}

// The server owns the answer's id. A proposal is taken when nobody else can be confused by it.
async function freeAnswerId(store: RunnerOptions['store'], submission: Submission): Promise<MessageId> {
  const { messageId, proposedAnswerId: proposed } = submission
  const isFree =
    isMessageId(proposed) &&
    proposed !== messageId &&
    (await store.messages.find(submission, proposed)) === undefined &&
    (await store.runs.ofAnswer(submission, proposed)) === undefined
  return isFree ? proposed : createId(isMessageId, 'msg')
}

const maxTitleLength = 80

/** A chat's title: the beginning of its first user text, on one line. */
function titleFrom(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length <= maxTitleLength ? line : `${characters.slice(0, maxTitleLength - 1).join('')}…`
}
