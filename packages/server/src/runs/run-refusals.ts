import { ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'

/** For a chat that has a run already. */
export function busy({ chatId, id, answerId }: Run): ProblemError {
  return new ProblemError(
    409,
    'chat-busy',
    `Chat ${chatId} is answering another message. Wait for its end, stop it, or send "onBusy": "queue" or "interrupt".`,
    { activeRunId: id, activeMessageId: answerId },
  )
}

/** Returns whether an error is the refusal of a busy chat. */
export function isBusy(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'chat-busy'
}

/** For a server that takes no more requests. */
export function shuttingDown(): ProblemError {
  return new ProblemError(503, 'shutting-down', 'The server is shutting down. Try again in a moment.')
}
