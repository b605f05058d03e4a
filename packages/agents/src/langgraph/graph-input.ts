import { isContinued, isRecord, type Message } from '@throughline/protocol'
import type { ModelMessage } from 'ai'
import type { AgentRequest } from '../agent/agent.ts'
import { chatToGoOn, modelMessages } from '../ai-sdk/request-messages.ts'
import { currentFrame } from '../run/agent-frame.ts'
import type { RunnableGraph } from './lang-graph.ts'
import { callsIn, typeOf } from './message-fields.ts'

/**
 * Returns the thread for the run in which this is called. Threads of different agents, owners and chats never meet. A
 * delegated task has a thread of its own. Where the chat is the memory, each answer has one, and a new one when it goes on
 * after a crash: the old thread may stand between a call and its result.
 */
export function threadIdOf(
  memory: RunnableGraph['memory'],
  { answerSoFar }: Pick<AgentRequest, 'answerSoFar'>,
): string {
  const { run, agent, messageId } = currentFrame()
  const isOneAnswer = memory === 'chat' || agent.depth > 0
  const attempt = answerSoFar?.parts.filter(isContinued).length ?? 0
  const names = [
    ...[agent.name, run.ownerId, run.chatId],
    ...(isOneAnswer ? [messageId] : []),
    ...(attempt === 0 ? [] : [String(attempt)]),
  ]
  return names.map(encodeURIComponent).join('/')
}

/** Returns what the graph is asked: the whole chat, or the new message when the thread remembers the rest. */
export async function inputOf(
  { graph, memory }: RunnableGraph,
  configurable: Readonly<Record<string, unknown>>,
  request: AgentRequest,
): Promise<{ readonly messages: readonly LangChainMessage[] }> {
  const known = memory === 'thread' ? messagesIn(await graph.getState?.({ configurable })) : []
  // A new thread begins with the chat so far. So does one that was lost with the memory of a process.
  if (known.length === 0) return { messages: await chatMessages(chatToGoOn(request)) }
  const question = request.messages.slice(-1)
  return { messages: [...resultsFor(unfinishedCalls(known)), ...(await chatMessages(question))] }
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

/** A message as LangChain accepts it: a plain object. LangGraph makes messages of its own classes of them. */
interface LangChainMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly object[]
  readonly id?: string
  readonly tool_calls?: readonly object[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly status?: 'success' | 'error'
}

/** Returns a chat as LangChain gives it to a model. Reasoning is left out: only the model that wrote it could use it. */
export async function chatMessages(messages: readonly Message[]): Promise<readonly LangChainMessage[]> {
  return (await modelMessages(messages, {})).flatMap(messageOf)
}

function messageOf(message: ModelMessage): readonly LangChainMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }]
    case 'user':
      return [{ role: 'user', content: userContent(message.content) }]
    case 'assistant':
      return assistantMessage(message.content)
    case 'tool':
      return message.content.flatMap(part => (part.type === 'tool-result' ? [resultMessage(part)] : []))
  }
}

type ContentOf<Role extends ModelMessage['role']> = Extract<ModelMessage, { role: Role }>['content']

function userContent(content: ContentOf<'user'>): LangChainMessage['content'] {
  if (typeof content === 'string') return content
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []))
  if (texts.length === content.length) return texts.join('\n\n')
  return content.flatMap(part => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    // Pictures are files, too.
    return part.type === 'file' ? fileBlock(part) : []
  })
}

type FilePart = Extract<Exclude<ContentOf<'user'>, string>[number], { type: 'file' }>

/** Files of people come as data URLs. */
function fileBlock({ data, mediaType, filename }: FilePart): readonly object[] {
  const bytes = base64Of(data)
  if (bytes === undefined) return []
  return [
    {
      type: mediaType.startsWith('image/') ? 'image' : 'file',
      source_type: 'base64',
      mime_type: mediaType,
      data: bytes,
      ...(filename === undefined ? {} : { metadata: { filename, name: filename } }),
    },
  ]
}

function base64Of(data: FilePart['data']): string | undefined {
  if (data instanceof URL || typeof data === 'string') return String(data).split(';base64,').at(-1)
  if (typeof data !== 'object' || !('type' in data)) return undefined
  if (data.type === 'url' && data.url instanceof URL) return base64Of(data.url)
  return data.type === 'data' && typeof data.data === 'string' ? base64Of(data.data) : undefined
}

function assistantMessage(content: ContentOf<'assistant'>): readonly LangChainMessage[] {
  if (typeof content === 'string') return [{ role: 'assistant', content }]
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
  const calls = content.flatMap(part => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return []
    const { toolCallId: id, toolName: name, input: args } = part
    return [{ type: 'tool_call', id, name, args }]
  })
  if (text === '' && calls.length === 0) return []
  return [{ role: 'assistant', content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }]
}

type ResultPart = Extract<ContentOf<'tool'>[number], { type: 'tool-result' }>

function resultMessage({ toolCallId, toolName: name, output }: ResultPart): LangChainMessage {
  const isError =
    output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied'
  return {
    role: 'tool',
    tool_call_id: toolCallId,
    name,
    status: isError ? 'error' : 'success',
    content: outputText(output),
  }
}

function outputText(output: ResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'execution-denied':
      return output.reason ?? 'The user did not allow this call.'
    case 'json':
    case 'error-json':
    case 'content':
      return JSON.stringify(output.value)
  }
}
