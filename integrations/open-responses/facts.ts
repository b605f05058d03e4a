import { z } from 'zod'

// What the Open Responses specification says of a response and of its events: the names, the types, and what is required.
// The source is the OpenAPI document of https://github.com/openresponses/openresponses (public/openapi/openapi.json and
// schema/*.tsp), version 2026-04-24, read on 2026-11-18. Only what a server without calls of the client's tools sends is
// here. Fields that are not here may be there as well, as in the specification.

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete'])

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()).optional(),
})
const summaryText = z.object({ type: z.literal('summary_text'), text: z.string() })

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status: itemStatus,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.array(outputText),
  }),
  z.object({ type: z.literal('reasoning'), id: z.string(), summary: z.array(summaryText) }),
])

const usage = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
})

/** A response: the 31 fields that are required. */
export const responseResource = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.string(),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(z.unknown()),
  tool_choice: z.enum(['none', 'auto', 'required']),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.literal('text') }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.unknown(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
})

const ofResponse = { response: responseResource }
const ofOutput = { output_index: z.int() }
const ofContent = { ...ofOutput, item_id: z.string(), content_index: z.int() }
const ofSummary = { ...ofOutput, item_id: z.string(), summary_index: z.int() }

function event<Type extends string, Fields extends z.core.$ZodShape>(type: Type, fields: Fields) {
  return z.object({ type: z.literal(type), sequence_number: z.int(), ...fields })
}

/** An event of a stream. */
export const streamingEvent = z.discriminatedUnion('type', [
  event('response.created', ofResponse),
  event('response.in_progress', ofResponse),
  event('response.completed', ofResponse),
  event('response.incomplete', ofResponse),
  event('response.failed', ofResponse),
  event('response.output_item.added', { ...ofOutput, item }),
  event('response.output_item.done', { ...ofOutput, item }),
  event('response.content_part.added', { ...ofContent, part: outputText }),
  event('response.content_part.done', { ...ofContent, part: outputText }),
  event('response.output_text.delta', { ...ofContent, delta: z.string() }),
  event('response.output_text.done', { ...ofContent, text: z.string() }),
  event('response.reasoning_summary_part.added', { ...ofSummary, part: summaryText }),
  event('response.reasoning_summary_part.done', { ...ofSummary, part: summaryText }),
  event('response.reasoning_summary_text.delta', { ...ofSummary, delta: z.string() }),
  event('response.reasoning_summary_text.done', { ...ofSummary, text: z.string() }),
])
