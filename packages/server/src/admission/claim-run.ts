import { logName } from '@throughline/log'
import {
  createId,
  isMessageId,
  isRunId,
  type Message,
  type MessageId,
  ProblemError,
} from '@throughline/protocol'
import type { Run, RunStart, Store, WaitingSubmission } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { busy, shuttingDown } from '../refusals/run-refusals.ts'
import { ongoingRun } from '../stopping/ongoing-run.ts'
import { waitIfEnding } from '../stopping/wait-if-ending.ts'
import type { ChatViewers } from '../stream/chat-viewers.ts'
import { titleOf } from '../titles/chat-titles.ts'
import { requestText } from '../who/saved-request.ts'
import { waitOrInterrupt } from './busy-chat.ts'
import { findRun } from './find-run.ts'
import { placeAfterWaiting, placeMessage, runToWaitFor } from './place-message.ts'
import { isNewMessage, type Submission } from './submission.ts'

/** What became of an attempt to claim a chat for a run. */
type Claim = Claimed | Attached | Busy | Gone

/** The chat is reserved for this run, and the run is saved. */
export interface Claimed {
  readonly type: 'claimed'
  readonly run: Run
  /** The user's message, as it is saved. */
  readonly message: Message
  /** The id that the client expects the answer to have. */
  readonly expectedId: string | undefined
}

/** An equal submission came before. This is its run, which may have ended since. */
interface Attached {
  readonly type: 'attached'
  readonly run: Run
}

/** Another run has the chat. `undefined` when it has ended in the meantime. */
interface Busy {
  readonly type: 'busy'
  readonly activeRun: Run | undefined
}

/** The submission waited in the queue, and somebody has removed it from there, or edited it: then another one is in its place. */
interface Gone {
  readonly type: 'gone'
}

interface ClaimOptions {
  readonly store: Store
  readonly now: () => Date
}

/**
 * Tries once to start the run of a submission. Does not wait when the chat is busy. With a `turn`, the chat also counts as
 * busy while it is not the submission's turn.
 */
export async function claimRun(
  { store, now }: ClaimOptions,
  submission: Submission,
  turn?: RunStart['turn'],
): Promise<Claim> {
  // The answer id is chosen before the search for a run. If somebody takes the id in between, the search finds them.
  const answerId = await freeAnswerId(store, submission)
  const attached = await findRun(store, submission)
  if (attached !== undefined) return { type: 'attached', run: attached }
  const earlier = await runToWaitFor(store, submission)
  if (earlier !== undefined) return { type: 'busy', activeRun: earlier }

  const files = isNewMessage(submission) ? (submission.files ?? []) : []
  if (files.length > 0) {
    // Nothing is written for a message that is going to be refused.
    const activeRun = await store.runs.active(submission)
    if (activeRun !== undefined) return { type: 'busy', activeRun }
    for (const file of files) await store.files.write(submission, file)
  }

  const run = await newRun(store, submission, { answerId, startedAt: now().toISOString() })
  const isNew = isNewMessage(submission)
  const message = isNew ? await placeMessage(store, submission) : submission.message
  const isClaimed = await store.runs.claim(run, {
    chat: {
      id: run.chatId,
      title: titleOf(message),
      createdAt: run.startedAt,
      updatedAt: run.startedAt,
    },
    userMessage: isNew ? { message, runId: run.id, seq: undefined } : undefined,
    files,
    context: requestText(submission),
    turn,
  })
  if (isClaimed) return { type: 'claimed', run, message, expectedId: submission.proposedAnswerId }
  // Two equal submissions may have come at once, and the other one was first.
  const winner = await findRun(store, submission)
  if (winner !== undefined) return { type: 'attached', run: winner }
  const activeRun = await store.runs.active(submission)
  if (activeRun !== undefined) return { type: 'busy', activeRun }
  await assertStillThere(store, submission)
  if (turn?.type === 'waited' && (await isGone(store, submission, turn.waiting))) return { type: 'gone' }
  return { type: 'busy', activeRun }
}

/**
 * Returns whether a submission was removed from the queue, or edited there. It also leaves the queue when another node starts
 * its run.
 */
async function isGone(
  store: Store,
  submission: Submission,
  { id, body }: Pick<WaitingSubmission, 'id' | 'body'>,
): Promise<boolean> {
  if ((await store.waitingSubmissions.find(submission, id))?.body === body) return false
  return (await findRun(store, submission)) === undefined
}

async function newRun(
  { log }: Store,
  submission: Submission,
  { answerId, startedAt }: Pick<Run, 'answerId' | 'startedAt'>,
): Promise<Run> {
  const { ownerId, chatId, message, kind, agent } = submission
  const { seq: afterSeq } = await log.open(logName(submission))
  return {
    id: createId(isRunId, 'run'),
    ownerId,
    chatId,
    agent,
    userMessageId: message.id,
    answerId,
    afterSeq,
    startedAt,
    status: 'running',
    kind,
    ...(isNewMessage(submission) && submission.sentDigest !== undefined
      ? { sentDigest: submission.sentDigest }
      : {}),
  }
}

/** Throws when the message that is to be answered once more was deleted in the meantime, alone or with its chat. */
async function assertStillThere({ messages }: Store, submission: Submission): Promise<void> {
  if (isNewMessage(submission)) return
  const { chatId, message } = submission
  if ((await messages.find(submission, message.id)) !== undefined) return
  throw new ProblemError(404, 'message-not-found', `Chat ${chatId} no longer has the message ${message.id}.`)
}

/** Returns the id that the client proposed for the answer. Makes another one when the proposal is not a free id. */
async function freeAnswerId({ messages, runs }: Store, submission: Submission): Promise<MessageId> {
  const { message, proposedAnswerId: proposed } = submission
  const isFree =
    isMessageId(proposed) &&
    proposed !== message.id &&
    (await messages.find(submission, proposed)) === undefined &&
    (await runs.ofAnswer(submission, proposed)) === undefined
  return isFree ? proposed : createId(isMessageId, 'msg')
}

/** What admitting a submission needs. */
interface AdmissionOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
  readonly viewers: ChatViewers
}

/** The claim for a new run, the run that an equal submission has started before, or `gone`. */
type Admitted = Exclude<Claim, { readonly type: 'busy' }>

/**
 * Claims the chat for a submission. If another run has the chat, in this process or in another one, waits for it,
 * interrupts it or throws, as the submission's `onBusy` says. A submission that waits in the queue names its `turn`.
 */
export async function admitSubmission(
  options: AdmissionOptions,
  submitted: Submission,
  turn?: RunStart['turn'],
): Promise<Admitted> {
  const { store, active, viewers } = options
  for (let submission = submitted; ; ) {
    if (active.over.aborted) throw shuttingDown()
    const claim = await claimRun(options, submission, turn)
    if (claim.type !== 'busy') return claim
    // The other run has ended in the meantime.
    if (claim.activeRun === undefined) continue
    const underWay = ongoingRun(options, claim.activeRun)
    if (!underWay.isHere && (await waitIfEnding(store, claim.activeRun))) continue
    const { onBusy } = submission
    if (onBusy === 'reject' && !underWay.isAnswered) throw busy(claim.activeRun)
    const isInterrupted = await waitOrInterrupt(options, underWay, { onBusy, viewers })
    if (!isInterrupted) submission = await placeAfterWaiting(store, submission, underWay.run)
  }
}
