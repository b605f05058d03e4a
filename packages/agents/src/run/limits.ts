/** What one run may use. An agent or a run that reaches a limit is ended, and its status says which limit it was. */
export interface Limits {
  /** The greatest depth of sub-agents, whatever they ask for themselves. The master has depth 0. Default: 8. */
  readonly maxDepth: number
  /** The greatest depth when no agent has a `maxDepth` of its own. Never more than `maxDepth`. Default: 3. */
  readonly defaultDepth: number
  /** How many sub-agents one agent may start. Default: 8. */
  readonly maxChildrenPerAgent: number
  /** How many sub-agents a run may start in all. Default: 32. */
  readonly maxChildrenPerRun: number
  /** How many steps (model calls) an agent may take. Default: 20. */
  readonly maxSteps: number
  /**
   * The upper bound of `maxOutputTokens`, the most tokens that one model call may write, in the agents that users define.
   * Default: 32,000.
   */
  readonly maxDefinedOutputTokens: number
  /** How many tokens all agents of a run may use together. Default: 1,000,000. */
  readonly maxTokens: number
  /** How long a run may take, in milliseconds. Default: 1,800,000 (30 minutes). */
  readonly maxRunMs: number
  /** How long one sub-agent may take, in milliseconds. Default: 1,200,000 (20 minutes). */
  readonly maxChildMs: number
  /**
   * How many earlier messages of the chat an agent is given, the newest ones. Messages of sub-agents are never given, and
   * do not count. Older messages are left out; the run is not ended. Default: 1,000.
   */
  readonly maxHistoryMessages: number
  /** How large these messages may be together, in bytes of JSON. Older ones are left out. Default: 16 MiB. */
  readonly maxHistoryBytes: number
  /** How much text, reasoning and tool input a run may write, in bytes of UTF-8. Default: 8 MiB. */
  readonly maxOutputBytes: number
  /** How many characters of a tool's output the model gets. The page gets more of it. Default: 50,000. */
  readonly maxToolOutputChars: number
  /** How much of one output or input of a tool is stored, in bytes of UTF-8 or JSON. Default: 1 MiB. */
  readonly maxToolOutputBytes: number
  /**
   * How much of all tool outputs of a run is stored, in bytes. After that, only the beginning of each output is.
   * Default: 16 MiB.
   */
  readonly maxRunToolOutputBytes: number
  /** How long a tool call waits for a person's decision, in milliseconds. Then it is denied. Default: 600,000. */
  readonly maxApprovalMs: number
  /**
   * How long a tool waits for its agent to yield the `tool-call` event of its call, in milliseconds. Only time in which
   * the agent yields nothing counts. Default: 30,000.
   */
  readonly maxCallWaitMs: number
  /**
   * How often the process that writes a run may die before the run is ended, whatever else is known about it. A process that
   * is stopped with a signal, and a death that another run is the reason of, do not count. Default: 5.
   */
  readonly maxDeaths: number
}

/** The limits of a server whose configuration sets none. */
export const defaultLimits: Limits = {
  maxDepth: 8,
  defaultDepth: 3,
  maxChildrenPerAgent: 8,
  maxChildrenPerRun: 32,
  maxSteps: 20,
  maxDefinedOutputTokens: 32_000,
  maxTokens: 1_000_000,
  maxRunMs: 30 * 60_000,
  maxChildMs: 20 * 60_000,
  maxHistoryMessages: 1_000,
  maxHistoryBytes: 16 * 1024 * 1024,
  maxOutputBytes: 8 * 1024 * 1024,
  maxToolOutputChars: 50_000,
  maxToolOutputBytes: 1024 * 1024,
  maxRunToolOutputBytes: 16 * 1024 * 1024,
  maxApprovalMs: 10 * 60_000,
  maxCallWaitMs: 30_000,
  maxDeaths: 5,
}
