import { z } from 'zod'
import type { Read } from '../conversations/shown.ts'
import {
  type Answer,
  answerOf,
  type Call,
  type End,
  failed,
  finished,
  type Item,
  joinedAnswers,
  type Message,
  stopped,
} from '../conversations/transcript.ts'
import { outputFrom } from '../seen.ts'
import { callResult } from './call-result.ts'

/** The agents that are asked; all others work for them. */
const masters = ['The master', 'The assistant']

const callSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})
const messageSchema = z.looseObject({
  role: z.string(),
  name: z.string().optional(),
  content: z.string().optional(),
  toolCalls: z.array(callSchema).optional(),
  toolCallId: z.string().optional(),
})
type AgUiMessage = z.infer<typeof messageSchema>
const moreSchema = z.looseObject({ outcome: z.string().optional(), isWaiting: z.boolean().optional() })

/** What a page of AG-UI messages shows. */
export const readAgUi: Read = ({ messages, failure, more }) => {
  const all = z.array(messageSchema).parse(messages)
  const { outcome, isWaiting = false } = moreSchema.parse(more ?? {})
  const told = all.map(message => messageOf(message, { all, isWaiting }))
  return { messages: joinedAnswers(told), end: endOf(outcome, failure) }
}

function messageOf(message: AgUiMessage, context: Context): Message {
  if (message.role === 'user') return { user: message.content ?? '' }
  return answerOf(itemsOf(message, context).map(item => ({ name: authorOf(message, item), item })))
}

/** What is said has a name. Whose a call is, nothing says. */
function authorOf({ name }: AgUiMessage, item: Item): string | undefined {
  return 'text' in item && name !== undefined && !masters.includes(name) ? name : undefined
}

interface Context {
  readonly all: readonly AgUiMessage[]
  readonly isWaiting: boolean
}

function itemsOf({ role, content = '', toolCalls = [] }: AgUiMessage, context: Context): Answer['answer'] {
  if (role === 'reasoning') return [{ reasoning: content }]
  if (role !== 'assistant') return []
  return [...(content === '' ? [] : [{ text: content }]), ...toolCalls.map(call => callOf(call, context))]
}

function callOf({ id, function: called }: z.infer<typeof callSchema>, { all, isWaiting }: Context): Call {
  const [result, ...others] = all.filter(({ toolCallId }) => toolCallId === id)
  if (others.length > 0) throw new Error(`The call ${id} has ${others.length + 1} results.`)
  const call = { tool: called.name, input: outputFrom(called.arguments || '{}') }
  if (result === undefined) return { ...call, state: isWaiting ? 'waiting' : 'open', output: undefined }
  return { ...call, ...callResult(result.content) }
}

function endOf(outcome: string | undefined, failure: string | undefined): End {
  if (failure !== undefined) return failed(failure)
  if (outcome === 'success') return finished
  return outcome === 'cancelled' ? stopped : { status: 'broken off' }
}
