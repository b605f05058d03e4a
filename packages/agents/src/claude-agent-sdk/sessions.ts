import { createHash } from 'node:crypto'
import type { Message } from '@throughline/protocol'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'

/** How a query begins, and which messages its session does not know yet. */
export interface SessionStart {
  /** The session of an earlier answer. It is copied, so that other answers can go on from it, too. */
  readonly resume?: string
  /** The id of the new session; without it, nothing can go on from this answer. */
  readonly sessionId?: string
  readonly unread: readonly Message[]
}

/**
 * Returns how to begin, best first. Each answer has a session of its own, which goes on from the one of the agent's last
 * answer among these messages. So edits, other answers and branches have the sessions that they belong to. If a start
 * is not possible, the next one is tried: Claude Code keeps sessions on the disk of one machine, and deletes old ones.
 *
 * The id of a session is made of the owner, the chat and the answer. So nothing has to be kept here, and nobody can reach
 * the session of another owner by naming it.
 */
export function sessionStarts(messages: readonly Message[], keepsSessions: boolean): readonly SessionStart[] {
  const whole = { unread: messages }
  if (!keepsSessions) return [whole]
  const frame = currentFrame()
  const sessionId = sessionOf(frame, frame.messageId)
  const last = messages.findLastIndex(({ metadata }) => metadata?.agent?.name === frame.agent.name)
  const answer = messages[last]
  const starts = [{ sessionId, ...whole }, whole]
  if (answer === undefined || last === messages.length - 1) return starts
  return [{ resume: sessionOf(frame, answer.id), sessionId, unread: messages.slice(last + 1) }, ...starts]
}

/** Returns whether the SDK says that a query cannot begin like this, because of its session. */
export function isSessionProblem(message: string): boolean {
  return /No conversation found with session ID|Session ID \S+ is already in use/.test(message)
}

function sessionOf({ run }: AgentFrame, messageId: string): string {
  const name = JSON.stringify(['throughline', run.ownerId, run.chatId, messageId])
  const hex = createHash('sha256').update(name).digest('hex')
  // A UUID of version 8, whose bits are the application's own, in the variant of RFC 9562.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
