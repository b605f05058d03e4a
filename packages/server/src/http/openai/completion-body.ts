import { z } from 'zod'
import { sentMessage } from './conversation.ts'
import { unsupported } from './open-ai-problem.ts'

/**
 * The body of `POST /v1/chat/completions`. Fields that only tune a model, such as `temperature`, are ignored: the agent
 * has its own settings.
 */
export const completionBody = z.object({
  model: z.string().normalize('NFC'),
  messages: z.array(sentMessage).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  metadata: z.looseObject({ chat_id: z.string().optional() }).nullish(),
  n: z.number().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
})
/** The body of `POST /v1/chat/completions`. */
export type CompletionBody = z.infer<typeof completionBody>

/** Throws a 400 problem for a wish that would change what the answer is, and that no agent can fulfil. */
export function assertSupported({ n, response_format, tool_choice }: Partial<CompletionBody>): void {
  if ((n ?? 1) !== 1) throw unsupported('An agent gives one answer at a time. Leave "n" out, or send 1.')
  if ((response_format?.type ?? 'text') !== 'text') {
    throw unsupported('An agent writes text. Leave "response_format" out, or send {"type": "text"}.')
  }
  assertNoForcedTool(tool_choice)
}

const functionTool = z.object({ type: z.literal('function'), function: z.unknown() })

/** Returns the tools of the client. Tools of other types, which OpenAI runs itself, are ignored. */
export function toolsIn({
  tools,
  tool_choice,
}: Pick<CompletionBody, 'tools' | 'tool_choice'>): readonly unknown[] {
  if (tool_choice === 'none') return []
  return (tools ?? []).flatMap(tool => functionTool.safeParse(tool).data?.function ?? [])
}

/** Throws a 400 problem for a client that wants a call of one of its own tools in any case. */
export function assertNoForcedTool(toolChoice: unknown): void {
  if (toolChoice === undefined || toolChoice === null || toolChoice === 'auto' || toolChoice === 'none')
    return
  throw unsupported(
    'An agent decides by itself which tools it calls. Leave "tool_choice" out, or send "auto" or "none".',
  )
}
