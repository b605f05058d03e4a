import type { MessageMetadata, Usage } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { HowAnswerEnded } from './answer-end.ts'
import type { ResponseItem } from './response-item.ts'

/** What a response repeats of the request that it belongs to. It is saved with the user's message. */
export interface ResponseRequest {
  readonly background: boolean
  /** Whether it can be read again. */
  readonly store: boolean
  readonly previousResponseId: string | null
  /** The client's own notes. */
  readonly metadata: Readonly<Record<string, string>>
  /** The tools of the client that the agent has. */
  readonly tools: readonly FunctionTool[]
  /** `none`: the client has asked for no calls of its tools. */
  readonly toolChoice: 'auto' | 'none'
}

/** A tool that the client runs, in the form of OpenAI. */
export interface FunctionTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string | null
  /** A JSON schema. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Nobody makes the model keep to the schema. */
  readonly strict: false
}

/** What is known of an answer after some entries of its run. */
export interface ResponseState {
  readonly id: string
  readonly output: readonly ResponseItem[]
  /** The metadata of the answer. */
  readonly metadata: MessageMetadata
  /** `undefined` while the answer is being written. */
  readonly end: HowAnswerEnded | undefined
  /** When the answer ended, in milliseconds since 1970. */
  readonly endedAt: number | undefined
}

/** A response, in the form of OpenAI. */
export type OpenAiResponse = ReturnType<typeof responseOf>

/** Returns the response object of OpenAI's Responses interface: the run, and its answer as far as it has come. */
export function responseOf(run: Run, request: ResponseRequest, state: ResponseState) {
  const { id, output, metadata, end, endedAt } = state
  return {
    id,
    object: 'response',
    created_at: Math.floor(Date.parse(run.startedAt) / 1000),
    completed_at: end?.type === 'completed' && endedAt !== undefined ? Math.floor(endedAt / 1000) : null,
    status: end?.type ?? 'in_progress',
    background: request.background,
    error: end?.type === 'failed' ? { code: 'server_error', message: end.message } : null,
    incomplete_details: end?.type === 'incomplete' ? { reason: incompleteReasons[end.reason] } : null,
    model: run.agent,
    output,
    conversation: { id: run.chatId },
    previous_response_id: request.previousResponseId,
    metadata: request.metadata,
    usage: end === undefined ? null : responseUsage(metadata.usage),
    store: request.store,
    tools: request.tools,
    tool_choice: request.toolChoice,
    ...notFromRequest,
  } as const
}

/**
 * What the Open Responses specification requires besides. The agent has its own instructions and settings, and takes none
 * from a request. So these are the defaults of the specification, whatever the request says: a client sees that its
 * own values are not in force.
 */
const notFromRequest = {
  instructions: null,
  parallel_tool_calls: true,
  max_tool_calls: null,
  max_output_tokens: null,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  reasoning: null,
  // Other formats are refused.
  text: { format: { type: 'text' } },
  truncation: 'disabled',
  service_tier: 'default',
  safety_identifier: null,
  prompt_cache_key: null,
} as const

/** Returns the id of a response that goes on with an answer after an entry. The first response has the id of the run. */
export function responseIdAfter(runId: string, after: number): string {
  return `${runId}.${after}`
}

/** Returns the run in the id of a response, and the entry after which the response goes on with it. */
export function partsOfResponseId(id: string): {
  readonly runId: string
  readonly after: number | undefined
} {
  const [, runId, after] = /^([^.]+)\.(\d{1,15})$/.exec(id) ?? []
  return runId === undefined ? { runId: id, after: undefined } : { runId, after: Number(after) }
}

const incompleteReasons = { length: 'max_output_tokens', content_filter: 'content_filter' } as const

function responseUsage(usage: Usage | undefined) {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {}
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: usage?.cachedInputTokens ?? 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
    total_tokens: totalTokens,
  }
}
