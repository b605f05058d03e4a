import { currentFrame } from '../run/agent-frame.ts'
import type { MastraThread } from './mastra-agent.ts'
import type { MastraMessage } from './mastra-messages.ts'

/** A chat as Throughline knows it. */
export interface RememberedChat {
  readonly ownerId: string
  /** Unique for its owner only: two owners may use the same id. */
  readonly chatId: string
}

/** Returns the thread of Mastra's memory that belongs to a chat. */
export type ThreadOf = (chat: RememberedChat) => MastraThread

/**
 * The default. In Mastra the ids of threads are global, and Mastra does not check whose a thread is. So the owner is a
 * part of the id: two owners who use the same chat id do not meet. No id of ours contains "/".
 */
export const threadOfChat: ThreadOf = ({ ownerId, chatId }) => ({
  thread: `${ownerId}/${chatId}`,
  resource: ownerId,
})

export interface Recalled {
  readonly memory: MastraThread
  readonly messages: MastraMessage[]
}

/**
 * Returns the thread of the chat in which this is called, and what Mastra does not remember yet: the message to answer.
 * A delegated task is a thread of its own. The ids of messages are global in Mastra, too, so the thread is a part of them.
 */
export function recalled(threadOf: ThreadOf, messages: readonly MastraMessage[]): Recalled {
  const { run, agent, messageId } = currentFrame()
  const chat = threadOf({ ownerId: run.ownerId, chatId: run.chatId })
  const thread = agent.depth === 0 ? chat.thread : `${chat.thread}/${messageId}`
  const question = messages.slice(-1).map(message => ({ ...message, id: `${thread}/${message.id}` }))
  return { memory: { thread, resource: chat.resource }, messages: question }
}
