import { z } from 'zod'
import type { Read } from '../../packages/server/test/compatibility/conversations/shown.ts'
import {
  type Call,
  type End,
  failed,
  finished,
  type Item,
  type Message,
  stopped,
} from '../../packages/server/test/compatibility/conversations/transcript.ts'

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  reasoning: z.string().optional(),
  toolInvocation: z
    .looseObject({
      toolName: z.string(),
      state: z.string(),
      args: z.unknown().optional(),
      result: z.unknown().optional(),
    })
    .optional(),
})
const annotation = z.looseObject({ throughline: z.looseObject({ status: z.string().optional() }) })
const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  parts: z.array(partSchema),
  annotations: z.array(z.unknown()).default([]),
})
type Shown = z.infer<typeof messageSchema>

/** What a page of AI SDK 4 shows. */
export const readAiSdk4: Read = ({ messages, failure }) => {
  const shown = z.array(messageSchema).parse(messages)
  return { messages: shown.map(messageOf), end: endOf(shown.at(-1), failure) }
}

function messageOf({ role, content, parts }: Shown): Message {
  return role === 'user' ? { user: content } : { answer: parts.flatMap(itemsOf), subAgents: {} }
}

function itemsOf({
  type,
  text = '',
  reasoning = '',
  toolInvocation,
}: z.infer<typeof partSchema>): readonly Item[] {
  if (type === 'text') return [{ text }]
  if (type === 'reasoning') return [{ reasoning }]
  return toolInvocation === undefined ? [] : [callOf(toolInvocation)]
}

/** This version has no failed calls: why there is no result stands in its place. */
function callOf({
  toolName: tool,
  state,
  args,
  result,
}: {
  toolName: string
  state: string
  args?: unknown
  result?: unknown
}): Call {
  const isDone = state === 'result'
  return { tool, input: args, state: isDone ? 'done' : 'open', output: isDone ? result : undefined }
}

function endOf(last: Shown | undefined, failure: string | undefined): End {
  if (failure !== undefined) return failed(failure)
  const statuses = last?.annotations.flatMap(
    each => annotation.safeParse(each).data?.throughline.status ?? [],
  )
  switch (statuses?.at(-1)) {
    case 'finished':
      return finished
    case 'stopped':
      return stopped
    default:
      return { status: 'broken off' }
  }
}
