import type { ClientTool } from '@throughline/agents/internal'
import type { Message } from '@throughline/protocol'
import { z } from 'zod'
import type { FunctionTool, ResponseRequest } from '../../stream/openai/response.ts'
import { assertNoForcedTool } from './completion-body.ts'
import { conversationIn, type OpenAiConversation, sentMessage } from './conversation.ts'
import { unsupported } from './open-ai-problem.ts'

const notes = z.record(z.string().max(64), z.string().max(512))

/**
 * The body of `POST /v1/responses`. Fields that only tune a model, such as `temperature`, are ignored: the agent has its
 * own settings, and the response says what is in force. So are `instructions`: the agent has its own.
 */
export const responseBody = z.object({
  model: z.string().normalize('NFC'),
  input: z.union([z.string(), z.array(sentMessage).min(1).max(10_000)]),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  metadata: notes.nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
})
/** The body of `POST /v1/responses`. */
export type ResponseBody = z.infer<typeof responseBody>

/** Throws a 400 problem for a wish that would change what the answer is, or what is kept, and that cannot be fulfilled. */
export function assertPossible(body: ResponseBody): void {
  const { text, tool_choice, previous_response_id: previous, conversation, background, store } = body
  if ((text?.format?.type ?? 'text') !== 'text') {
    throw unsupported('An agent writes text. Leave "text.format" out, or send {"type": "text"}.')
  }
  assertNoForcedTool(tool_choice)
  if (previous != null && conversation != null) {
    throw unsupported('Send "previous_response_id" or "conversation", not both: each of them names a chat.')
  }
  if (store === false && (previous != null || conversation != null || background === true)) {
    throw unsupported(
      '"store": false removes the chat after the answer. It cannot be combined with "background", "conversation" or "previous_response_id".',
    )
  }
}

const functionTool = z.looseObject({ type: z.literal('function') })

/** Returns the tools of the client. Tools of other types, which OpenAI runs itself, are ignored. */
export function toolsOf({ tools, tool_choice }: ResponseBody): readonly unknown[] {
  if (tool_choice === 'none') return []
  return (tools ?? []).flatMap(tool => functionTool.safeParse(tool).data ?? [])
}

/** Returns the conversation in the input. */
export function openAiConversationOf({ input }: ResponseBody): OpenAiConversation {
  if (typeof input === 'string') return conversationIn([{ role: 'user', content: input }])
  return conversationIn(input)
}

/**
 * Returns the question in an input for a chat that exists. Several messages of the user become one. Throws a 400 problem
 * when there are answers too: the chat has its own.
 */
export function questionOf(body: ResponseBody): OpenAiConversation['question'] {
  const { before, question } = openAiConversationOf(body)
  if (before.some(({ role }) => role === 'assistant')) {
    throw unsupported(
      'The chat knows what was said before. With "previous_response_id" or "conversation", send only the new message as "input".',
    )
  }
  return { ...question, parts: [...before, question].flatMap(({ parts }) => parts) }
}

const savedRequest = z.object({
  background: z.boolean(),
  // Responses that were saved before there was this field could all be read again.
  store: z.boolean().default(true),
  previousResponseId: z.string().nullable(),
  metadata: notes,
  // Before there were these fields, no tools were taken.
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        name: z.string(),
        description: z.string().nullable(),
        parameters: z.record(z.string(), z.unknown()),
        strict: z.literal(false),
      }),
    )
    .default([]),
  toolChoice: z.enum(['auto', 'none']).default('auto'),
})

/** Returns what the response repeats of its request. It is saved as metadata of the user's message. */
export function requestIn(body: ResponseBody, clientTools: readonly ClientTool[]): ResponseRequest {
  const { background, store, previous_response_id, metadata, tool_choice } = body
  return {
    background: background ?? false,
    store: store ?? true,
    previousResponseId: previous_response_id ?? null,
    metadata: metadata ?? {},
    tools: clientTools.map(shownTool),
    toolChoice: tool_choice === 'none' ? 'none' : 'auto',
  }
}

function shownTool({ name, description, inputSchema }: ClientTool): FunctionTool {
  return { type: 'function', name, description: description ?? null, parameters: inputSchema, strict: false }
}

/** Returns what a response repeats of its request. A run that was not started as a response has nothing to repeat. */
export function savedRequestOf(question: Pick<Message, 'metadata'> | undefined): ResponseRequest {
  const saved = savedRequest.safeParse(question?.metadata?.['openai'])
  return saved.data ?? notFromResponses
}

const notFromResponses: ResponseRequest = {
  background: false,
  store: true,
  previousResponseId: null,
  metadata: {},
  tools: [],
  toolChoice: 'auto',
}
