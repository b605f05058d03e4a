import { type ChatKey, isFilePart, type Message, ProblemError } from '@throughline/protocol'
import type { Store, WaitingSubmission } from '@throughline/store'
import { notWaiting } from '../refusals/queue-problems.ts'
import type { Sender } from '../who/sender.ts'
import { digestOf } from './find-run.ts'
import { readableSubmission, waitingFrom } from './saved-submission.ts'
import { isNewMessage, type NewMessage } from './submission.ts'

/** An edit of a message that waits, and who edits it. */
export interface WaitingEdit {
  readonly waitingId: string
  readonly text: string
  readonly sender: Sender
}

/**
 * Gives a message that waits another text. Its id, its place in the queue and its files stay. Returns it as it waits now.
 *
 * Its run gets the tools and roles of whoever edits it. What it says is theirs now, and they may be permitted less than
 * whoever queued it, or than they were then.
 *
 * Throws a `ProblemError` when it does not wait, or not any more, and when nothing would be left of it.
 */
export async function editWaiting(
  { waitingSubmissions }: Pick<Store, 'waitingSubmissions'>,
  chat: ChatKey,
  { waitingId, text, sender }: WaitingEdit,
): Promise<WaitingSubmission> {
  for (;;) {
    const waiting = await waitingSubmissions.find(chat, waitingId)
    const named = waiting && readableSubmission(waiting)
    // Somebody who asks for another answer has sent no message that could be edited.
    if (waiting === undefined || named === undefined || !isNewMessage(named.submission))
      throw notWaiting(chat.chatId, waitingId)
    const submission = { ...withText(named.submission, text), sender }
    const edited = waitingFrom({ ...named, submission }, waiting.createdAt)
    if (await waitingSubmissions.rewrite(chat, waiting, edited.body)) return edited
    // Its turn has come, or somebody else has edited or removed it at the same moment. The next look says which.
  }
}

function withText(submission: NewMessage, text: string): NewMessage {
  const { message, sentDigest } = submission
  const parts = [...message.parts.filter(isFilePart), ...textParts(text)]
  if (parts.length === 0) {
    throw new ProblemError(
      400,
      'empty-message',
      'Nothing would be left of the message. Send a text that is not blank, or remove the message from the queue.',
    )
  }
  return {
    ...submission,
    message: { ...message, parts },
    sentDigest: digestOf({ parts: message.parts, sentDigest }),
  }
}

function textParts(text: string): Message['parts'] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}
