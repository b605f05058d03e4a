import type { ChunkOf, EndStatus, ToolError, Usage } from '@throughline/protocol'

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
 * What happens inside an agent. An agent yields these events, whatever it is made of. It does not open, close or number
 * anything: `segment` does that.
 */
export type AgentEvent =
  | { readonly type: 'step-start' }
  /** `usage` is what the step used, and `model` the model that used it, as `provider:model`. */
  | {
      readonly type: 'step-end'
      readonly usage?: TokenCounts | undefined
      readonly model?: string | undefined
    }
  | ({ readonly type: 'text-delta'; readonly text: string } & WithProviderMetadata)
  /** The whole text of this step so far. Only what is new in it is shown. */
  | { readonly type: 'text-snapshot'; readonly text: string }
  | ({
      readonly type: 'text-end'
      readonly citations?: ChunkOf<'text-end'>['citations']
    } & WithProviderMetadata)
  | ({ readonly type: 'reasoning-delta'; readonly text: string } & WithProviderMetadata)
  | ({ readonly type: 'reasoning-end' } & WithProviderMetadata)
  /** Several things at once. They are shown in this order: reasoning, tool calls, text. */
  | {
      readonly type: 'content'
      readonly reasoning?: string
      readonly toolCalls?: readonly ToolCall[]
      readonly text?: string
    }
  | ({ readonly type: 'tool-input-start' } & Omit<ToolCall, 'input'>)
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly text: string }
  | ({ readonly type: 'tool-call' } & ToolCall)
  /** The model made a call that cannot be carried out, for example because its input does not fit. */
  | ({ readonly type: 'tool-call-invalid'; readonly errorText: string } & ToolCall)
  /** The tool is still working. A later output replaces this one. */
  | ({ readonly type: 'tool-progress'; readonly output: unknown } & ToolCall)
  | ({ readonly type: 'tool-result'; readonly output: unknown } & ToolCall)
  | ({ readonly type: 'tool-error'; readonly errorText: string } & ToolCall)
  /** The call waits for the decision of a person. */
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string; readonly approvalId: string }
  | {
      readonly type: 'tool-approval-response'
      readonly toolCallId: string
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string | undefined
    }
  | { readonly type: 'tool-denied'; readonly toolCallId: string }
  /** The model will say no more in this step. */
  | { readonly type: 'response-done' }
  | { readonly type: 'source'; readonly chunk: ChunkOf<'source-url' | 'source-document'> }
  | { readonly type: 'file'; readonly chunk: ChunkOf<'file' | 'reasoning-file'> }
  /** For pages that are open now. It is never saved. */
  | { readonly type: 'ui-event'; readonly data: unknown }
  /** The agent has ended as it should. Without this event it has failed. */
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: unknown }

export type FinishReason = NonNullable<ChunkOf<'finish'>['finishReason']>

/** The end of a message. `runAgent` writes it, exactly once per message. */
export interface MessageEnd {
  readonly type: 'end'
  readonly status: EndStatus
  readonly finishReason?: FinishReason | undefined
  readonly usage?: Usage | undefined
  /** Explains the end to a person. Only an answer that finished and says something needs none. */
  readonly text?: string | undefined
  /** True when the answer has finished but says nothing. */
  readonly isEmpty?: boolean | undefined
  readonly lastToolError?: ToolError | undefined
}
