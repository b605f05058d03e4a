import { createHash } from 'node:crypto'
import { type ChatKey, isMessageId } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { type BusyRule, type NewMessage, placeAsShown, type Submission } from '../../admission/submission.ts'
import type { Services } from '../request/context.ts'
import { clientToolsIn } from '../submit/client-tools.ts'
import { agUiIds, firstPlaceIn } from '../submit/known-places.ts'
import { shownBefore, shownMessage } from '../submit/shown-message.ts'
import { anotherAnswerFrom, submissionFrom } from '../submit/submission.ts'
import { type AgUiRequestBody, questionIn, submittedFrom, withoutAnswer } from './ag-ui-body.ts'
import type { SentAnswers } from './sent-answers.ts'

/** A request of an AG-UI client, with its sender. */
export interface AgUiAsked extends ChatKey {
  readonly sender: Submission['sender']
  readonly onBusy: BusyRule
  readonly body: AgUiRequestBody
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
}

/** Finds out what an AG-UI client wants: to send a new message, to get the same answer again, or to get another answer. */
export async function agUiSubmission(
  services: Services,
  asked: AgUiAsked,
  sent: SentAnswers,
): Promise<Submission> {
  const { ownerId, chatId, sender, onBusy, body } = asked
  const { runId, messages, forwardedProps } = body
  const question = questionIn(messages)
  const clientTools = clientToolsIn(services, body.tools ?? [])
  const own = { ...forwardedProps, ownerId, chatId, sender, onBusy, clientTools }
  // A retry has the same `runId`. It gets the same answer, because the answer's id is made of it.
  const again = {
    ...own,
    expected_assistant_message_id: own.expected_assistant_message_id ?? answerIdFor(runId),
  }
  if (forwardedProps.trigger === 'regenerate-message')
    return anotherAnswerFrom(services, { ...again, messageId: forwardedProps.messageId ?? question.id })

  const submission = await submissionFrom(services, { ...own, message: submittedFrom(question) })
  const last = await lastRun(services, submission)
  if (last === undefined) return placed(services, submission, asked)
  const messageId = submission.message.id
  if (isReload(last, body, sent)) return anotherAnswerFrom(services, { ...again, messageId })
  if (last.kind !== 'another-answer') return submission
  // A retry means the newest answer, not the first.
  return anotherAnswerFrom(services, { ...own, messageId, expected_assistant_message_id: last.answerId })
}

/** Places a new message after the message that the client shows before it. So a client can edit by cutting its history. */
async function placed(
  services: Services,
  submission: NewMessage,
  { body: { messages }, closed }: Pick<AgUiAsked, 'body' | 'closed'>,
): Promise<NewMessage> {
  const { ownerId, chatId } = submission
  const firstPlace = await firstPlaceIn(services, { ownerId, chatId, closed, idsOf: agUiIds })
  return placeAsShown(submission, await shownBefore(messages.map(shownMessage), firstPlace))
}

/** Returns the newest run that answers the message, if the chat has the message with the same text. */
async function lastRun({ store }: Services, submission: NewMessage): Promise<Run | undefined> {
  const { message } = submission
  const saved = await store.messages.find(submission, message.id)
  const isSame = JSON.stringify(saved?.parts) === JSON.stringify(message.parts)
  return isSame ? store.runs.lastOfUserMessage(submission, message.id) : undefined
}

/**
 * Whether a client that sends a message again wants another answer.
 *
 * A client that wants another answer removes the one it has, and sends the message again. A client whose connection broke
 * does the same, but it must not cost a second answer. So it counts as a wish for another answer only if the last answer has
 * ended, was sent to its end in another AG-UI run, and the client has nothing of it.
 */
function isReload(last: Run, { runId, messages }: AgUiRequestBody, sent: SentAnswers): boolean {
  const hasAnswer = withoutAnswer(messages, last.answerId) !== undefined
  return last.status !== 'running' && !hasAnswer && sent.wasSentBefore(last, runId)
}

/** Returns the id of another answer. It is always the same for the same `runId` of the client. */
function answerIdFor(clientRunId: string): string {
  const id = `msg_${createHash('sha256').update(clientRunId).digest('hex').slice(0, 32)}`
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  return id
}
