// What this adapter uses of `@earendil-works/pi-agent-core`. These types are our own, so nothing of pi is imported. Values
// are `unknown` where providers or versions differ, and are checked when they are read. integrations/pi.test.ts checks the
// types against the real ones.

/** An `Agent` of pi. */
export interface PiAgent {
  /** Its messages begin with the system message, if the agent has instructions or tools. */
  readonly state: { messages: unknown[] }
  /** The agent waits for what a listener returns before it goes on. Returns a function that ends the subscription. */
  subscribe(listener: (event: PiEvent) => Promise<void> | void): () => void
  /** Answers the last message of `state.messages`. Resolves when the answer has ended, in whatever way. */
  continue(): Promise<void>
  abort(): void
  /** Called when a call is about to run. The result can block it. */
  beforeToolCall?(context: PiToolContext, signal?: AbortSignal): Promise<PiRefusal | undefined>
  /** Called after each model call and its tools. The result can end the run. */
  finishTurn?(turn: PiTurn, signal?: AbortSignal): unknown
}

export interface PiToolContext {
  readonly toolCall: { readonly id: string; readonly name: string }
  /** The input, after pi has checked it. */
  readonly args: unknown
}

/** What `beforeToolCall` returns to block a call. The model reads the reason. */
export interface PiRefusal {
  block?: boolean
  reason?: string
  terminate?: boolean
}

export interface PiTurn {
  readonly toolResults: readonly unknown[]
}

/** An event of pi that is read. Pi has more. */
export type PiEvent =
  | { readonly type: 'turn_start' | 'turn_end' | 'agent_start' | 'agent_end' | 'message_start' }
  | {
      readonly type: 'message_update'
      readonly message: unknown
      readonly assistantMessageEvent: PiDelta
    }
  | { readonly type: 'message_end'; readonly message: unknown }
  | (PiCall & { readonly type: 'tool_execution_start'; readonly args: unknown })
  | (PiCall & {
      readonly type: 'tool_execution_update'
      readonly args: unknown
      readonly partialResult: unknown
    })
  | (PiCall & { readonly type: 'tool_execution_end'; readonly result: unknown; readonly isError: boolean })

interface PiCall {
  readonly toolCallId: string
  readonly toolName: string
}

/** A piece of a model's response. `contentIndex` says to which block of the message it belongs. */
export interface PiDelta {
  readonly type: string
  readonly contentIndex?: number
  readonly delta?: unknown
}
