/** What one run may use. An agent or a run that reaches a limit is ended, and its message says which limit it was. */
export interface Limits {
  /** How deep agents may delegate at most, whatever `maxDepth` they have themselves. The master is at depth 0. */
  readonly maxDepth: number
  /** How deep agents may delegate when none of them has a `maxDepth` of its own. */
  readonly defaultDepth: number
  /** How many sub-agents one agent may ask. */
  readonly maxChildrenPerAgent: number
  /** How many sub-agents all agents of a run may ask together. */
  readonly maxChildrenPerRun: number
  /** How many model calls one agent may make. */
  readonly maxSteps: number
  /** How many tokens all model calls of a run may use together. */
  readonly maxTokens: number
  /** How long a run may take, in milliseconds. */
  readonly maxRunMs: number
  /** How long a sub-agent may take, in milliseconds. */
  readonly maxChildMs: number
  /** The size of all text, reasoning and tool input of a run, in bytes of UTF-8. */
  readonly maxOutputBytes: number
  /** How much of a tool's output the model reads, in characters. Pages show more of it. */
  readonly maxToolOutputChars: number
  /** How much of one output or input of a tool is written, in bytes of UTF-8. The rest is cut off. */
  readonly maxToolOutputBytes: number
  /** How much of all tool outputs of a run is written, in bytes. After that, only the beginning of each output is. */
  readonly maxRunToolOutputBytes: number
  /** How long a tool call waits for the decision of a person, in milliseconds. */
  readonly maxApprovalMs: number
  /**
   * How long a tool waits for its agent to yield the `tool-call` event of its call, in milliseconds. Only time in which
   * the agent yields nothing counts.
   */
  readonly maxCallWaitMs: number
}

export const defaultLimits: Limits = {
  maxDepth: 8,
  defaultDepth: 3,
  maxChildrenPerAgent: 8,
  maxChildrenPerRun: 32,
  maxSteps: 20,
  maxTokens: 1_000_000,
  maxRunMs: 30 * 60_000,
  maxChildMs: 20 * 60_000,
  maxOutputBytes: 8 * 1024 * 1024,
  maxToolOutputChars: 50_000,
  maxToolOutputBytes: 1024 * 1024,
  maxRunToolOutputBytes: 16 * 1024 * 1024,
  maxApprovalMs: 10 * 60_000,
  maxCallWaitMs: 30_000,
}
