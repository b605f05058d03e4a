import { z } from 'zod'
import type { Read } from '../../packages/server/test/compatibility/conversations/shown.ts'
import {
  answerOf,
  type Call,
  type End,
  failed,
  finished,
  type Item,
  joinedAnswers,
  type Message,
  stopped,
} from '../../packages/server/test/compatibility/conversations/transcript.ts'
import { callResult } from '../../packages/server/test/compatibility/readers/call-result.ts'

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  toolName: z.string().optional(),
  argsText: z.string().optional(),
  result: z.unknown().optional(),
  isError: z.boolean().optional(),
  approval: z.looseObject({ approved: z.boolean().optional() }).optional(),
  providerMetadata: z
    .looseObject({ throughline: z.looseObject({ displayName: z.string() }).optional() })
    .optional(),
})
const metadataSchema = z.looseObject({
  custom: z.looseObject({ status: z.string().optional() }).optional(),
  unstable_annotations: z
    .array(z.looseObject({ throughline: z.looseObject({ status: z.string().optional() }).optional() }))
    .nullish(),
})
const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(partSchema),
  status: z
    .looseObject({ type: z.string(), reason: z.string().optional(), error: z.unknown().optional() })
    .optional(),
  metadata: metadataSchema.optional(),
})
type Part = z.infer<typeof partSchema>
type Shown = z.infer<typeof messageSchema>

/** What a page of assistant-ui shows, whatever its runtime. */
export const readAssistantUi: Read = ({ messages }) => {
  const shown = z.array(messageSchema).parse(messages)
  return { messages: joinedAnswers(shown.map(messageOf)), end: endOf(shown.at(-1)) }
}

function messageOf({ role, content, status }: Shown): Message {
  if (role === 'user') return { user: content.map(({ text = '' }) => text).join('') }
  const isInterrupted = status?.type === 'requires-action' && status.reason === 'interrupt'
  return answerOf(
    content.flatMap(part => itemsOf(part, isInterrupted).map(item => ({ name: nameOn(part), item }))),
  )
}

function itemsOf(part: Part, isInterrupted: boolean): readonly Item[] {
  const { type, text = '', toolName = '', argsText } = part
  if (type === 'text') return [{ text }]
  if (type === 'reasoning') return [{ reasoning: text }]
  if (type !== 'tool-call') return []
  return [{ tool: toolName, input: JSON.parse(argsText || '{}'), ...stateOf(part, isInterrupted) }]
}

function stateOf(
  { result, isError = false, approval }: Part,
  isInterrupted: boolean,
): Pick<Call, 'state' | 'output'> {
  if (approval?.approved === false) return { state: 'denied', output: undefined }
  if (result !== undefined) return isError ? { ...callResult(result), state: 'failed' } : callResult(result)
  const isAsked = approval !== undefined && approval.approved === undefined
  return { state: isAsked || isInterrupted ? 'waiting' : 'open', output: undefined }
}

const errorSchema = z.union([
  z.string(),
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
])

/** The message itself does not know that it was stopped. What the server says of it does. */
function endOf(last: Shown | undefined): End {
  const { status, metadata } = last ?? {}
  const told = metadata?.custom?.status ?? metadata?.unstable_annotations?.at(-1)?.throughline?.status
  if (status?.reason === 'error') return failed(errorSchema.catch('').parse(status.error))
  if (told === 'stopped' || status?.reason === 'cancelled') return stopped
  return status?.type === 'complete' ? finished : { status: 'broken off' }
}

/** Who wrote a part that stands in another's answer. */
function nameOn({ providerMetadata }: Part): string | undefined {
  return providerMetadata?.throughline?.displayName
}
