import type { ChunkOf } from '@throughline/protocol/chunk'
import type { EndStatus, ToolError, Usage } from '@throughline/protocol/metadata'

export type ProviderMetadata = NonNullable<ChunkOf<'text-delta'>['providerMetadata']>

/** What model calls used, in tokens. */
export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
}

interface WithProviderMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined
}

export interface ToolCall extends WithProviderMetadata {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly title?: string | undefined
  readonly dynamic?: boolean | undefined
  readonly providerExecuted?: boolean | undefined
}

/**
 * What happens inside an agent. The AI SDK is one source of these; any `AsyncIterable<AgentEvent>` can be
 * another. A source need not open, close or number anything: `segment` does.
 */
export type AgentEvent =
  | { readonly type: 'step-start' }
  /** What the step used, and of which model: `provider:model`. */
  | {
      readonly type: 'step-end'
      readonly usage?: TokenCounts | undefined
      readonly model?: string | undefined
    }
  | ({ readonly type: 'text-delta'; readonly text: string } & WithProviderMetadata)
  /** The whole text of this step so far; only what is new in it is shown. */
  | { readonly type: 'text-snapshot'; readonly text: string }
  | ({
      readonly type: 'text-end'
      readonly citations?: ChunkOf<'text-end'>['citations']
    } & WithProviderMetadata)
  | ({ readonly type: 'reasoning-delta'; readonly text: string } & WithProviderMetadata)
  | ({ readonly type: 'reasoning-end' } & WithProviderMetadata)
  /** One event that carries several things: shown as reasoning, then tool calls, then text. */
  | {
      readonly type: 'content'
      readonly reasoning?: string
      readonly toolCalls?: readonly ToolCall[]
      readonly text?: string
    }
  | ({ readonly type: 'tool-input-start' } & Omit<ToolCall, 'input'>)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly text: string }
  | ({ readonly type: 'tool-call' } & ToolCall)
  /** The call cannot be carried out as the model wrote it. */
  | ({ readonly type: 'tool-call-invalid'; readonly errorText: string } & ToolCall)
  /** An output that a later one replaces: the tool is still at work. */
  | ({ readonly type: 'tool-progress'; readonly output: unknown } & ToolCall)
  | ({ readonly type: 'tool-result'; readonly output: unknown } & ToolCall)
  | ({ readonly type: 'tool-error'; readonly errorText: string } & ToolCall)
  /** The call waits for a person. */
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string; readonly approvalId: string }
  | {
      readonly type: 'tool-approval-response'
      readonly toolCallId: string
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string | undefined
    }
  | { readonly type: 'tool-denied'; readonly toolCallId: string }
  /** The model has said all it has to say in this step. */
  | { readonly type: 'response-done' }
  | { readonly type: 'source'; readonly chunk: ChunkOf<'source-url' | 'source-document'> }
  | { readonly type: 'file'; readonly chunk: ChunkOf<'file' | 'reasoning-file'> }
  /** For the page, now; never saved. */
  | { readonly type: 'ui-event'; readonly data: unknown }
  /** The model will say no more. The loop has ended in good order. */
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: unknown }

export type FinishReason = NonNullable<ChunkOf<'finish'>['finishReason']>

/** How a message ends. Written by whoever runs the agent, exactly once. */
export interface MessageEnd {
  readonly type: 'end'
  readonly status: EndStatus
  readonly finishReason?: FinishReason | undefined
  readonly usage?: Usage | undefined
  /** For the person who reads it; needed unless the answer finished and says something. */
  readonly text?: string | undefined
  /** The answer has finished and says nothing. */
  readonly isEmpty?: boolean | undefined
  readonly lastToolError?: ToolError | undefined
}
