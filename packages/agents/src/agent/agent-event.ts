import type { ChunkOf, EndStatus, OutputSource, ToolError, Usage } from '@throughline/protocol'

/** Data of a provider that belongs to a part, by provider. The AI SDK needs some of it in the next request. */
export type ProviderMetadata = NonNullable<ChunkOf<'text-delta'>['providerMetadata']>

/** What model calls used, in tokens. */
export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Usually input and output together. */
  readonly totalTokens: number
  /** The part of `outputTokens` that was reasoning. `undefined` when it is not known. */
  readonly reasoningTokens?: number | undefined
  /** The part of `inputTokens` that the provider had in its cache. `undefined` when it is not known. */
  readonly cachedInputTokens?: number | undefined
}

interface WithProviderMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** The call of a tool. */
export interface ToolCall extends WithProviderMetadata {
  /** Names the call. All events of one call have the same id. */
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments of the call: any value that can be written as JSON. */
  readonly input: unknown
  /** The name of the tool that people read. Default: `toolName`. */
  readonly title?: string | undefined
  /** True for a tool that was not known when the agent was written, such as one of an MCP server. */
  readonly dynamic?: boolean | undefined
  /** True when the provider of the model runs the tool itself. */
  readonly providerExecuted?: boolean | undefined
}

/**
 * What happens inside an agent. An agent yields these events, whatever it is made of. It does not open, close or number
 * anything: `segment` does that.
 */
export type AgentEvent =
  /** A step begins: one model call with the tools that it asks for. Steps are optional. */
  | { readonly type: 'step-start' }
  /** The step has ended. `usage` is what it used, and `model` the model that used it, as `provider:model`. */
  | {
      readonly type: 'step-end'
      readonly usage?: TokenCounts | undefined
      readonly model?: string | undefined
    }
  /** More text of the answer. It continues the open text part, or opens a new one. */
  | ({ readonly type: 'text-delta'; readonly text: string } & WithProviderMetadata)
  /** The whole text of this step so far. Only what is new in it is shown. */
  | { readonly type: 'text-snapshot'; readonly text: string }
  /** Ends the open text part. Without this event, the part ends when something else than text comes. */
  | ({
      readonly type: 'text-end'
      readonly citations?: ChunkOf<'text-end'>['citations']
    } & WithProviderMetadata)
  /** More reasoning: what the model thinks before it writes. */
  | ({ readonly type: 'reasoning-delta'; readonly text: string } & WithProviderMetadata)
  /** Ends the open reasoning part. */
  | ({ readonly type: 'reasoning-end' } & WithProviderMetadata)
  /** Several things at once. They are shown in this order: reasoning, tool calls, text. */
  | {
      readonly type: 'content'
      readonly reasoning?: string
      readonly toolCalls?: readonly ToolCall[]
      readonly text?: string
    }
  /** The model begins to write the input of a call. */
  | ({ readonly type: 'tool-input-start' } & Omit<ToolCall, 'input'>)
  /** More of the input, as JSON text. */
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly text: string }
  /** The input of the call is complete. The two events before are optional. */
  | ({ readonly type: 'tool-call' } & ToolCall)
  /** The model made a call that cannot be carried out, for example because its input does not fit. */
  | ({ readonly type: 'tool-call-invalid'; readonly errorText: string } & ToolCall)
  /** The tool is still working. A later output replaces this one. */
  | ({ readonly type: 'tool-progress'; readonly output: unknown } & ToolCall)
  /** The tool is done. `output` is any value that can be written as JSON. */
  | ({ readonly type: 'tool-result'; readonly output: unknown } & ToolCall)
  /** The tool has failed. People and the model read `errorText`. */
  | ({ readonly type: 'tool-error'; readonly errorText: string } & ToolCall)
  /**
   * The call waits for the decision of a person. For an agent, `yield` returns the `ApprovalDecision`. The request gets an id
   * of its own on the stream.
   */
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string; readonly approvalId: string }
  /** The call no longer waits. `reason` says why it was approved or denied. */
  | {
      readonly type: 'tool-approval-response'
      readonly toolCallId: string
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string | undefined
    }
  /** The call ends without a result, because it was denied. */
  | { readonly type: 'tool-denied'; readonly toolCallId: string }
  /** The call waits for its output from outside: from the program that shows the chat (`client`), or from a person. */
  | {
      readonly type: 'tool-output-request'
      readonly toolCallId: string
      readonly requestId: string
      readonly from: OutputSource
    }
  /** The model will say no more in this step. */
  | { readonly type: 'response-done' }
  /** A page or a document that the answer is based on. */
  | { readonly type: 'source'; readonly chunk: ChunkOf<'source-url' | 'source-document'> }
  /** A file that the agent has made. */
  | { readonly type: 'file'; readonly chunk: ChunkOf<'file' | 'reasoning-file'> }
  /** For pages that are open now. It is never saved. */
  | { readonly type: 'ui-event'; readonly data: unknown }
  /** The agent has ended normally. An agent that ends without this event has failed. */
  | { readonly type: 'finish'; readonly finishReason: FinishReason }
  /** The agent has failed. The error is logged, and people read a sentence about it. */
  | { readonly type: 'error'; readonly error: unknown }

/** Why an agent has ended, as in the AI SDK: `stop` is the normal end, `length` is a limit of the model. */
export type FinishReason = NonNullable<ChunkOf<'finish'>['finishReason']>

/** Returns whether a value is one of the reasons. */
export function isFinishReason(value: unknown): value is FinishReason {
  return typeof value === 'string' && Object.hasOwn(finishReasons, value)
}

const finishReasons: Readonly<Record<FinishReason, true>> = {
  stop: true,
  length: true,
  'content-filter': true,
  'tool-calls': true,
  error: true,
  interrupted: true,
  other: true,
}

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
  /** Only for an answer that says nothing: the last tool call that failed. */
  readonly lastToolError?: ToolError | undefined
}
