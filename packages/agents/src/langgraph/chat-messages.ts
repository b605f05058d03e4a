import type { Message } from '@throughline/protocol'
import type { ModelMessage } from 'ai'
import { modelMessages } from '../ai-sdk/model-messages.ts'

/** A message as LangChain accepts it: a plain object. LangGraph makes messages of its own classes of them. */
export interface LangChainMessage {
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
