import { z } from 'zod'
import type { Read } from '../../packages/server/test/compatibility/conversations/shown.ts'
import {
  type Call,
  type End,
  failed,
  finished,
  type Item,
  joinedAnswers,
  type Message,
} from '../../packages/server/test/compatibility/conversations/transcript.ts'
import { callResult } from '../../packages/server/test/compatibility/readers/call-result.ts'
import { outputFrom } from '../../packages/server/test/compatibility/seen.ts'

const partSchema = z.looseObject({
  type: z.string(),
  content: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  state: z.string().optional(),
  output: z.unknown().optional(),
  toolCallId: z.string().optional(),
  id: z.string().optional(),
  approval: z.looseObject({ approved: z.boolean().optional() }).optional(),
})
const messageSchema = z.looseObject({ role: z.enum(['user', 'assistant']), parts: z.array(partSchema) })
type Part = z.infer<typeof partSchema>

/** What a page of TanStack AI shows. */
export const readTanstack: Read = ({ messages, isBusy, failure }) => {
  const shown = z.array(messageSchema).parse(messages)
  return { messages: joinedAnswers(shown.map(messageOf)), end: endOf(isBusy, failure) }
}

function messageOf({ role, parts }: z.infer<typeof messageSchema>): Message {
  if (role === 'user') return { user: parts.map(({ content = '' }) => content).join('') }
  return { answer: parts.flatMap(part => itemsOf(part, parts)), subAgents: {} }
}

function itemsOf(part: Part, parts: readonly Part[]): readonly Item[] {
  const { type, content = '' } = part
  if (type === 'text') return [{ text: content }]
  if (type === 'thinking') return [{ reasoning: content }]
  return type === 'tool-call' ? [callOf(part, parts)] : []
}

function callOf(part: Part, parts: readonly Part[]): Call {
  const { name: tool = '', arguments: text = '', id } = part
  const call = { tool, input: outputFrom(text || '{}') }
  const result = parts.find(each => each.type === 'tool-result' && each.toolCallId === id)
  if (result === undefined)
    return part.output === undefined
      ? { ...call, state: part.state === 'approval-requested' ? 'waiting' : 'open', output: undefined }
      : { ...call, state: 'done', output: part.output }
  return { ...call, ...callResult(result.content) }
}

/** The page does not know how an answer ended, but for failures. */
function endOf(isBusy: boolean, failure: string | undefined): End {
  if (failure !== undefined) return failed(failure)
  return isBusy ? { status: 'broken off' } : finished
}
