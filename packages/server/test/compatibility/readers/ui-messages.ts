import { z } from 'zod'
import type { Read } from '../conversations/shown.ts'
import {
  answerOf,
  type Call,
  type End,
  failed,
  finished,
  type Item,
  type Message,
  stopped,
  type Transcript,
} from '../conversations/transcript.ts'

const mark = z.looseObject({ throughline: z.looseObject({ displayName: z.string() }) })
const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  state: z.string().optional(),
  toolName: z.string().optional(),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  approval: z.looseObject({ approved: z.boolean().optional() }).optional(),
  /** Where sub-agents stand inline, who wrote it. */
  providerMetadata: mark.optional(),
  toolMetadata: mark.optional(),
  callProviderMetadata: mark.optional(),
})
const messageSchema = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  metadata: z
    .looseObject({
      status: z.string().optional(),
      statusText: z.string().optional(),
      agent: z.looseObject({ kind: z.string(), displayName: z.string() }).optional(),
    })
    .optional(),
  parts: z.array(partSchema),
})
type UiMessage = z.infer<typeof messageSchema>
type Part = z.infer<typeof partSchema>

/** What a page of the AI SDK 5 or later shows. Every message of an assistant is an answer there. */
export const readUiMessages: Read = ({ messages: shown, failure }) => {
  const messages = z.array(messageSchema).parse(shown)
  return { messages: messages.map(messageOf), end: endOf(messages, failure) }
}

/** What the server has kept. Messages of sub-agents belong to the answer that asked for them. */
export function savedInUiMessages(saved: readonly unknown[]): Transcript {
  const messages = z.array(messageSchema).parse(saved)
  const isSubAgent = ({ metadata }: UiMessage) => metadata?.agent?.kind === 'sub'
  const shown = messages.filter(message => !isSubAgent(message))
  const told: Message[] = shown.map(message => {
    const asked = messages.indexOf(message)
    const next = messages.findIndex((each, index) => index > asked && !isSubAgent(each))
    const children = messages.slice(asked + 1, next === -1 ? undefined : next)
    return withSubAgents(messageOf(message), children)
  })
  return { messages: told, end: endOf(shown, undefined) }
}

function withSubAgents(message: Message, children: readonly UiMessage[]): Message {
  if ('user' in message) return message
  const named = children.map(({ metadata, parts }) => [
    metadata?.agent?.displayName ?? '',
    parts.flatMap(itemsOf),
  ])
  return { ...message, subAgents: { ...message.subAgents, ...Object.fromEntries(named) } }
}

function messageOf({ role, parts }: UiMessage): Message {
  if (role === 'user') return { user: parts.map(({ text = '' }) => text).join('') }
  return answerOf(parts.flatMap(part => itemsOf(part).map(item => ({ name: nameOn(part), item }))))
}

/** Who wrote a part that stands in another's answer. */
function nameOn({ providerMetadata, toolMetadata, callProviderMetadata }: Part): string | undefined {
  return (providerMetadata ?? toolMetadata ?? callProviderMetadata)?.throughline.displayName
}

function endOf(messages: readonly UiMessage[], failure: string | undefined): End {
  if (failure !== undefined) return failed(failure)
  const last = messages.at(-1)
  switch (last?.metadata?.status) {
    case 'finished':
      return finished
    case 'stopped':
      return stopped
    case 'failed':
      return failed(last.metadata.statusText ?? '')
    default:
      return { status: 'broken off' }
  }
}

function itemsOf(part: Part): readonly Item[] {
  const { type, text = '' } = part
  if (type === 'text') return [{ text }]
  if (type === 'reasoning') return [{ reasoning: text }]
  return type === 'dynamic-tool' || type.startsWith('tool-') ? [callOf(part)] : []
}

function callOf({ type, toolName, state, input, output, errorText }: Part): Call {
  const call = { tool: toolName ?? type.slice('tool-'.length), input }
  switch (state) {
    case 'output-available':
      return { ...call, state: 'done', output }
    case 'output-error':
      return { ...call, state: 'failed', output: errorText }
    case 'output-denied':
      return { ...call, state: 'denied', output: undefined }
    case 'approval-requested':
      return { ...call, state: 'waiting', output: undefined }
    default:
      return { ...call, state: 'open', output: undefined }
  }
}
