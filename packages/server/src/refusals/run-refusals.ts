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

/**
 * For work that only its request knows, and whose run another process has by now: another one has taken this one for dead, or a
 * failover has lost what it wrote. Nothing of it is kept.
 */
export function notWritten(): ProblemError {
  return new ProblemError(
    503,
    'store-unavailable',
    'The server lost its database for a moment, and nothing was changed. Send it again.',
  )
}
