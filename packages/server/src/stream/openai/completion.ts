import type { Usage } from '@throughline/protocol'
import type { OpenAiError } from './open-ai-error.ts'

// The values of `POST /v1/chat/completions`. Fields that this server never fills are left out, unless clients need them.

interface CompletionBase {
  /** The id of the answer. */
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  /** The name of the agent. */
  readonly model: string
}

/** Why a completion has ended, in the words of OpenAI. */
export type CompletionEnd = 'stop' | 'length' | 'content_filter' | 'tool_calls'

/** A call of a tool that the client runs. */
export interface CompletionCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** What one value of a stream adds to the answer. */
export interface CompletionDelta {
  readonly role?: 'assistant'
  readonly content?: string
  /** Not OpenAI's own field, but the one that most servers and clients use for reasoning. */
  readonly reasoning_content?: string
  readonly tool_calls?: readonly (CompletionCall & { readonly index: number })[]
}

/** One value of a stream. The last one may have no choice, but the usage. */
export interface CompletionChunk extends CompletionBase {
  readonly object: 'chat.completion.chunk'
  readonly choices: readonly {
    readonly index: 0
    readonly delta: CompletionDelta
    readonly logprobs: null
    readonly finish_reason: CompletionEnd | null
  }[]
  /** Only for a client that asked for the usage. Then it is `null` in all values but the last. */
  readonly usage?: CompletionUsage | null
}

/** One event of a stream of chat completions. */
export type CompletionEvent = CompletionChunk | OpenAiError

/** The whole answer, for a client that does not stream. */
export interface Completion extends CompletionBase {
  readonly object: 'chat.completion'
  readonly choices: readonly {
    readonly index: 0
    readonly message: {
      readonly role: 'assistant'
      /** `null` when there are only calls. */
      readonly content: string | null
      readonly refusal: null
      readonly reasoning_content?: string
      readonly tool_calls?: readonly CompletionCall[]
    }
    readonly logprobs: null
    readonly finish_reason: CompletionEnd
  }[]
  readonly usage: CompletionUsage
}

/** The usage of an answer, in the form of OpenAI. */
export interface CompletionUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** Returns the usage of an answer, its sub-agents included. An answer that called no model has used nothing. */
export function completionUsage(usage: Usage | undefined): CompletionUsage {
  const { inputTokens = 0, outputTokens = 0, totalTokens = 0 } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: usage?.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
  }
}
