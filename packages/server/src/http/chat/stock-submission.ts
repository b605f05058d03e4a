import { isRecord } from '@throughline/protocol'
import type { Submission } from '../../runs/submission.ts'
import type { Services } from '../context.ts'
import { placedById } from '../places/placed-by-id.ts'
import { shownMessage } from '../places/shown-message.ts'
import {
  type AskedWithMessage,
  anotherAnswerFrom,
  editFrom,
  shownAgainFrom,
  submissionFrom,
} from '../submission.ts'
import { contentSubmission, isContentMessage } from './content-submission.ts'

/** A request of `POST /api/chat`, with its sender. */
export interface StockRequest extends AskedWithMessage {
  /** All messages that the page shows, with the new one. Without it the message goes to the end of the chat. */
  readonly messages?: readonly unknown[] | undefined
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined
  readonly messageId?: string | undefined
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
  /** The client reads data stream lines. */
  readonly isDataStream: boolean
}

/**
 * Returns what a stock client asks for: another answer (`regenerate()`), an edit (`sendMessage` with a `messageId`),
 * or a new message.
 *
 * A new message follows what the page shows before it. So the agent reads what the person sees, and a client that
 * edits by cutting its history gets a branch.
 */
export async function stockSubmission(services: Services, asked: StockRequest): Promise<Submission> {
  const { trigger, messageId, message, isDataStream, closed } = asked
  const shown = asked.messages?.map(shownMessage)
  if (trigger === 'regenerate-message') {
    if (message === undefined) return anotherAnswerFrom(services, { ...asked, messageId: messageId ?? '' })
    return placedById(services, await shownAgainFrom(services, asked), { shown, closed })
  }
  if (isContentMessage(message, isDataStream))
    return contentSubmission(services, { ...asked, message, shown })
  const submission =
    messageId === undefined
      ? await submissionFrom(services, asked)
      : await editFrom(services, { ...asked, messageId })
  // The stock transport says why it sends, and sends everything that the page shows. A program may send only its new
  // message, and say nothing. Then the message goes to the end.
  const isAllItShows = trigger !== undefined || (shown !== undefined && shown.length > 1)
  return isAllItShows ? placedById(services, submission, { shown, closed }) : submission
}

/** Returns the newest message of the user in what a client sent. */
export function questionOf({
  messages = [],
  message,
}: Pick<StockRequest, 'messages'> & { readonly message?: unknown }): unknown {
  return message ?? messages.findLast(each => isRecord(each) && each['role'] === 'user')
}
