/** What one run may use up. Reaching a limit ends what reached it, and says which. */
export interface Limits {
  /** How deep agents may delegate, whatever they ask for themselves; the master is at depth 0. */
  readonly maxDepth: number
  /** How deep agents may delegate when none of them names a `maxDepth` of its own; never more than `maxDepth`. */
  readonly defaultDepth: number
  readonly maxChildrenPerAgent: number
  readonly maxChildrenPerRun: number
  /** Model calls per agent. */
  readonly maxSteps: number
  readonly maxTokens: number
  readonly maxRunMs: number
  readonly maxChildMs: number
  /** Text, reasoning and tool input of a run, in bytes of UTF-8. */
  readonly maxOutputBytes: number
  /** How much of a tool's output the model is given; the page gets more of it. */
  readonly maxToolOutputChars: number
  /** How much of one output, or one input, of a tool is written down, in bytes of UTF-8 or JSON; the rest is cut off. */
  readonly maxToolOutputBytes: number
  /** How much of all tools' outputs of a run is written down. After that, of each only its beginning. */
  readonly maxRunToolOutputBytes: number
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
