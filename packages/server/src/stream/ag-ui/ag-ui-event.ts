import type { Entry } from '@throughline/protocol'

/** The events of AG-UI 1.0 that are used here, without what all of them have in common. */
export type AgUiBody =
  | RunEvent
  | TextEvent
  | ReasoningEvent
  | ToolCallEvent
  | SubAgentEvent
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: unknown }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }

/** An entry whose message id is the author's name on the stream: with sub-agents inline, the two differ. */
export type AgUiEntry = Omit<Entry, 'messageId'> & { readonly messageId: string }

/** An event as it is sent. */
export type AgUiEvent = AgUiBody & {
  /** In milliseconds since 1970. */
  readonly timestamp: number
  /** The sub-agent that the event is by; events of the master have none. */
  readonly subagentRunId?: string
}

type RunEvent =
  | {
      readonly type: 'RUN_STARTED'
      readonly threadId: string
      readonly runId: string
      readonly protocolVersion: '1.0'
      readonly metadata: AgUiMetadata
    }
  | {
      readonly type: 'RUN_FINISHED'
      readonly threadId: string
      readonly runId: string
      readonly outcome?: AgUiOutcome
      readonly result?: { readonly messageId: string }
      readonly usage: readonly AgUiUsage[]
      readonly metadata: AgUiMetadata
    }
  | {
      readonly type: 'RUN_ERROR'
      readonly message: string
      readonly code: string
      readonly usage: readonly AgUiUsage[]
      readonly metadata: AgUiMetadata
    }

/** How an AG-UI run has ended. */
export type AgUiOutcome =
  | { readonly type: 'success' | 'cancelled' }
  /** The client sends the decisions, and the answer goes on in that run. */
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }

/** A tool call that waits for a person. */
export interface AgUiInterrupt {
  /** The approval's id. */
  readonly id: string
  readonly reason: string
  readonly message: string
  readonly toolCallId: string
  readonly responseSchema: Readonly<Record<string, unknown>>
  readonly subagentRunId?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

type TextEvent =
  | {
      readonly type: 'TEXT_MESSAGE_START'
      readonly messageId: string
      readonly role: 'assistant'
      readonly name?: string
    }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }

type ReasoningEvent =
  | { readonly type: 'REASONING_START' | 'REASONING_END'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'REASONING_MESSAGE_END'; readonly messageId: string }

type ToolCallEvent =
  | {
      readonly type: 'TOOL_CALL_START'
      readonly toolCallId: string
      readonly toolCallName: string
      readonly parentMessageId: string
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT'
      readonly messageId: string
      readonly toolCallId: string
      readonly content: string
      readonly role: 'tool'
      readonly metadata?: AgUiMetadata
    }

type SubAgentEvent =
  | {
      readonly type: 'SUBAGENT_STARTED'
      readonly name: string
      readonly parentSubagentRunId?: string
      readonly parentToolCallId?: string
      readonly parentMessageId?: string
      readonly metadata: AgUiMetadata
    }
  | {
      readonly type: 'SUBAGENT_FINISHED'
      readonly outcome:
        | { readonly type: 'success' }
        /** The sub-agent goes on in a later run. */
        | { readonly type: 'suspended'; readonly interruptIds: readonly string[] }
      readonly metadata: AgUiMetadata
    }
  | {
      readonly type: 'SUBAGENT_ERROR'
      readonly message: string
      readonly code: string
      readonly metadata: AgUiMetadata
    }

/** Fields that AG-UI does not have, under keys of their own. */
export interface AgUiMetadata {
  readonly throughline: Readonly<Record<string, unknown>>
  /** TanStack AI reads this. AG-UI's own event for a result cannot say that a call failed. */
  readonly tanstack?: { readonly state: 'output-error' }
}

/** The tokens of one model. Reasoning and cached tokens are included in the other counts. */
export interface AgUiUsage {
  readonly provider?: string
  readonly model?: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens?: number
  readonly cachedInputTokens?: number
}

/** A message as the client sends it. */
export interface AgUiMessage {
  readonly id: string
  readonly role: string
  readonly [field: string]: unknown
}
