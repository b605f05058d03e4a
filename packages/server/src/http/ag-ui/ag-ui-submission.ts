import { createHash } from 'node:crypto'
import { type ChatKey, isMessageId } from '@throughline/protocol/ids'
import type { Run } from '@throughline/store/runs'
import type { OnBusy } from '../../runs/busy-move.ts'
import { type NewMessage, placeAsShown, type Submission } from '../../runs/submission.ts'
import type { Services } from '../context.ts'
import { agUiPlaces, knownPlaces } from '../places/known-places.ts'
import { shownBefore } from '../places/shown-before.ts'
import { shownMessage } from '../places/shown-message.ts'
import { anotherAnswerFrom, submissionFrom } from '../submission.ts'
import { type AgUiBody, questionIn, submittedFrom, withoutAnswer } from './ag-ui-body.ts'
import type { SentAnswers } from './sent-answers.ts'

export interface AgUiAsked extends ChatKey {
  readonly onBusy: OnBusy
  readonly body: AgUiBody
}

/** What an AG-UI client means: a new message, the same one again after a cut, or another answer to it. */
export async function agUiSubmission(
  services: Services,
  asked: AgUiAsked,
  told: SentAnswers,
): Promise<Submission> {
  const { ownerId, chatId, onBusy, body } = asked
  const { runId, messages, forwardedProps } = body
  const question = questionIn(messages)
  const own = { ...forwardedProps, ownerId, chatId, onBusy }
  // The same run of the client's is the same request, so it gets the same answer.
  const again = {
    ...own,
    expected_assistant_message_id: own.expected_assistant_message_id ?? answerIdFor(runId),
  }
  if (forwardedProps.trigger === 'regenerate-message')
    return anotherAnswerFrom(services, { ...again, messageId: forwardedProps.messageId ?? question.id })

  const submission = submissionFrom(services, { ...own, message: submittedFrom(question) })
  const last = await lastRun(services, submission)
  if (last === undefined) return placed(services, submission, body)
  const messageId = submission.message.id
  if (isReload(last, body, told)) return anotherAnswerFrom(services, { ...again, messageId })
  if (last.kind !== 'another-answer') return submission
  // A retry is about the newest answer, not about the first.
  return anotherAnswerFrom(services, { ...own, messageId, expected_assistant_message_id: last.answerId })
}

/** A new message follows what the client shows before it: a client edits by cutting its history. */
async function placed(
  services: Services,
  submission: NewMessage,
  { messages }: AgUiBody,
): Promise<NewMessage> {
  const placeOf = agUiPlaces(await knownPlaces(services, submission))
  return placeAsShown(submission, await shownBefore(messages.map(shownMessage), placeOf))
}

/** The newest run that answers the message, if the message is known and says the same. */
async function lastRun({ store }: Services, submission: NewMessage): Promise<Run | undefined> {
  const { message } = submission
  const saved = await store.messages.find(submission, message.id)
  const isSame = JSON.stringify(saved?.parts) === JSON.stringify(message.parts)
  return isSame ? store.runs.lastOfUserMessage(submission, message.id) : undefined
}

/**
 * A client that wants another answer drops the one it has, and sends the message again. So does a client that never got
 * the answer because its connection broke, and then the answer must not be paid for twice. So it is another answer that
 * is wanted only when all of this is true: the answer has ended, it was sent to its end in another run of the client's,
 * and the client has nothing of it.
 */
function isReload(last: Run, { runId, messages }: AgUiBody, told: SentAnswers): boolean {
  const hasAnswer = withoutAnswer(messages, last.answerId) !== undefined
  return last.status !== 'running' && !hasAnswer && told.isToldBefore(last, runId)
}

/** The id that another answer gets: the same for the same run of the client's. */
function answerIdFor(clientRunId: string): string {
  const id = `msg_${createHash('sha256').update(clientRunId).digest('hex').slice(0, 32)}`
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  return id
}
