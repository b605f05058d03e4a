import { createHash } from 'node:crypto'
import type { Message } from '@throughline/protocol'
import { currentFrame } from '../run/agent-frame.ts'

/** What a service is told of a conversation. */
export interface Conversation {
  /** The same for all answers of this agent in one chat. Each delegated task has one of its own. */
  readonly chatId: string
  readonly runId: string
  /** The id of the answer that is being written. */
  readonly answerId: string
  /** The chat so far. It ends with the message to answer. */
  readonly messages: readonly Message[]
}

/**
 * Returns the conversation of the run in which this is called. A service does not know the owners of this server, so the
 * owner is a part of the chat's id. So the chats of two owners stay apart, even if they have the same id here. The id is
 * hashed, so that the service does not learn who the owner is.
 */
export function conversationOf(agentName: string, messages: readonly Message[]): Conversation {
  const { run, agent, messageId } = currentFrame()
  const { ownerId, chatId, runId } = run
  const task = agent.depth === 0 ? [] : [messageId]
  return {
    chatId: `chat_${digest([agentName, ownerId, chatId, ...task])}`,
    runId,
    answerId: messageId,
    messages,
  }
}

/** Returns 32 hexadecimal digits that stand for these texts. */
export function digest(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)
}
