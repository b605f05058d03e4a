import { ChatError } from '../../src/http/chat-error.ts'

/** Returns whether a client has aborted a request because the connection was silent for too long. */
export function isSilence(reason: unknown): boolean {
  return reason instanceof ChatError && reason.code === 'network'
}
