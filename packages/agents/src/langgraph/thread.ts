import { isRecord } from '@throughline/protocol'
import type { AgentRequest } from '../agent.ts'
import { currentFrame } from '../run/agent-frame.ts'
import { chatMessages, type LangChainMessage } from './chat-messages.ts'
import type { GraphAgent } from './lang-graph.ts'
import { callsIn, typeOf } from './message-fields.ts'

/**
 * Returns the thread for the run in which this is called. Threads of different agents, owners and chats never meet. A
 * delegated task has a thread of its own. Where the chat is the memory, each answer has one.
 */
export function threadIdOf(memory: GraphAgent['memory']): string {
  const { run, agent, messageId } = currentFrame()
  const isOneAnswer = memory === 'chat' || agent.depth > 0
  const names = [agent.name, run.ownerId, run.chatId, ...(isOneAnswer ? [messageId] : [])]
  return names.map(encodeURIComponent).join('/')
}

/** Returns what the graph is asked: the whole chat, or the new message when the thread remembers the rest. */
export async function inputOf(
  { graph, memory }: GraphAgent,
  configurable: Readonly<Record<string, unknown>>,
  { messages }: AgentRequest,
): Promise<{ readonly messages: readonly LangChainMessage[] }> {
  const known = memory === 'thread' ? messagesIn(await graph.getState?.({ configurable })) : []
  // A new thread begins with the chat so far. So does one that was lost with the memory of a process.
  if (known.length === 0) return { messages: await chatMessages(messages) }
  return { messages: [...resultsFor(unfinishedCalls(known)), ...(await chatMessages(messages.slice(-1)))] }
}

function messagesIn(state: unknown): readonly unknown[] {
  const values = isRecord(state) ? state['values'] : undefined
  const messages = isRecord(values) ? values['messages'] : undefined
  return Array.isArray(messages) ? messages : []
}

interface UnfinishedCall {
  readonly id: string
  readonly name: string
}

/** Returns the calls of the last step that have no result, because the answer was stopped or has failed there. */
function unfinishedCalls(messages: readonly unknown[]): readonly UnfinishedCall[] {
  const last = messages.findLastIndex(message => typeOf(message) === 'ai')
  const finished = messages
    .slice(last + 1)
    .map(message => (isRecord(message) ? message['tool_call_id'] : undefined))
  return last === -1 ? [] : callsIn(messages[last]).filter(({ id }) => !finished.includes(id))
}

/** Models refuse a conversation in which a call has no result. */
function resultsFor(calls: readonly UnfinishedCall[]): readonly LangChainMessage[] {
  return calls.map(({ id, name }) => ({
    role: 'tool',
    tool_call_id: id,
    name,
    status: 'error',
    content: 'The call was interrupted. It has no result.',
  }))
}
