import type { ClientTool, RequestContext } from '@throughline/agents/internal'
import { type ChatKey, onBusyModes } from '@throughline/protocol'
import type { MessageFile } from '@throughline/store'
import type { SubmittedMessage } from '../engine/saved-history.ts'
import type { Sender } from '../who/sender.ts'

/**
 * What a submission may ask for when another run has the chat. `interrupt-unviewed` is for stock clients, and for queries of
 * the event API that do not say anything else. They cannot say that they have stopped a run, they only close the connection.
 * So a run that nobody watches is interrupted. For any other run, the submission waits for its end.
 */
export const busyRules = [...onBusyModes, 'interrupt-unviewed'] as const

/** One of `busyRules`. `moveFor` says what becomes of the other run. */
export type BusyRule = (typeof busyRules)[number]

/** What somebody asks for. One submission starts one run. */
export type Submission = NewMessage | AnotherAnswer | FollowUp

/** A new message of the user. An agent writes an answer to it (`answer`), or it only goes to a person (`message`). */
export interface NewMessage extends SubmissionBase {
  readonly kind: 'answer' | 'message'
  readonly place: Place
  /** The files that the message brings. They are saved together with it. */
  readonly files?: readonly MessageFile[] | undefined
  /** A digest of the message as it was sent, when it was edited while it waited: see `isSameMessage`. */
  readonly sentDigest?: string | undefined
}

/** Another answer to a message that the chat has already. */
export interface AnotherAnswer extends SubmissionBase {
  readonly kind: 'another-answer'
}

/** A message that a person adds in place of the agent, after the answer to the user's last message. */
export interface FollowUp extends SubmissionBase {
  readonly kind: 'follow-up'
}

interface SubmissionBase extends ChatKey {
  readonly sender: Sender
  /** The user's message. */
  readonly message: SubmittedMessage
  /** Who answers: the name of an agent, or a person such as `user::Ann`. */
  readonly agent: string
  /** The name of the model that the person has chosen for the answer. Default: the model of the agent. */
  readonly model?: string | undefined
  /** Tools that the request brings. The client runs them. */
  readonly clientTools?: readonly ClientTool[] | undefined
  /** Where the user was in the application when they sent it. */
  readonly context: RequestContext
  /** The id that the client wants the answer to have. */
  readonly proposedAnswerId: string | undefined
  readonly onBusy: BusyRule
}

/**
 * Where a new message stands in its chat.
 * - `end`: after the chat's last message.
 * - `named`: after a message that the sender named. If the chat does not have that message, the submission is refused.
 * - `shown`: after the message that the sender's page shows before it. If the chat does not have that message any
 *   more, the new message goes to the end.
 *
 * `after` is the id of a message, or empty for the beginning of the chat.
 */
export type Place =
  | { readonly type: 'end' }
  | { readonly type: 'named'; readonly after: string }
  | { readonly type: 'shown'; readonly after: string }

/** Returns the place after the named message; without a name, the end of the chat. */
export function namedPlace(after: string | undefined): Place {
  return after === undefined ? { type: 'end' } : { type: 'named', after }
}

/** Puts a new message where the sender's page shows it. A place that the sender named is kept. */
export function placeAsShown(submission: NewMessage, after: string | undefined): NewMessage {
  if (after === undefined || submission.place.type === 'named') return submission
  return { ...submission, place: { type: 'shown', after } }
}

/** Returns whether a submission brings a new message. Others ask for another answer, or add a message of a person. */
export function isNewMessage(submission: Submission): submission is NewMessage {
  return submission.kind === 'answer' || submission.kind === 'message'
}
