import type { MastraMessage } from './mastra-messages.ts'

// The members of `@mastra/core` that the adapter uses. They are types of our own, so that nothing here imports Mastra. A
// test in integrations/ assigns Mastra's own types to them.

/** Mastra's `Agent`. */
export interface MastraAgent {
  readonly name: string
  getDescription(): string
  /** Returns whether the agent was made with a `memory`. */
  hasOwnMemory(): boolean
  /** Returns the `Mastra` in which the agent is registered. Only a registered agent can resume a run. */
  getMastraInstance(): unknown
  stream(messages: MastraMessage[], options: MastraCall): Promise<MastraOutput>
  approveToolCall(options: MastraResumption): Promise<MastraOutput>
  declineToolCall(options: MastraResumption): Promise<MastraOutput>
}

/** The options of `stream`. */
export interface MastraCall {
  abortSignal: AbortSignal
  maxSteps?: number
  memory?: MastraThread
}

/** The options of `approveToolCall` and `declineToolCall`. */
export interface MastraResumption extends MastraCall {
  runId: string
  toolCallId: string
  /** Why the call was declined. The model reads it. */
  reason?: string
}

/** A thread of Mastra's memory, and whose it is. */
export interface MastraThread {
  thread: string
  resource: string
}

/** The result of `stream`. */
export interface MastraOutput {
  readonly runId: string
  readonly fullStream: AsyncIterable<{ readonly type: string }>
}
