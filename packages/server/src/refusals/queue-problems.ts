import { type ChatId, type ChatKey, ProblemError } from '@throughline/protocol'

/** For a chat in which as many messages wait as may. */
export function queueFull({ chatId }: ChatKey, max: number): ProblemError {
  return new ProblemError(
    429,
    'queue-full',
    `${max} messages wait in chat ${chatId}, and no more may. Wait until some are answered, or remove one: DELETE /api/chats/${chatId}/queue/ID.`,
    { max },
  )
}

/** For somebody who waits for the run of a message that was removed from the queue. */
export function removedFromQueue({ chatId }: ChatKey, waitingId: string): ProblemError {
  return new ProblemError(
    409,
    'removed-from-queue',
    `Message ${waitingId} waited in chat ${chatId}, and was removed before its turn. Send it again if it is still wanted.`,
  )
}

/** For somebody who waits for the run of a message whose row is damaged. */
export function damagedInQueue({ chatId }: ChatKey, waitingId: string): ProblemError {
  return new ProblemError(
    500,
    'damaged-in-queue',
    `Message ${waitingId} waited in chat ${chatId}, but cannot be read any more: the data of the server is damaged. Send it again.`,
  )
}

/** For a message that does not wait, or not any more. */
export function notWaiting(chatId: ChatId, waitingId: string): ProblemError {
  return new ProblemError(
    404,
    'not-waiting',
    `No message ${JSON.stringify(waitingId.slice(0, 128))} waits in chat ${chatId}.`,
  )
}
