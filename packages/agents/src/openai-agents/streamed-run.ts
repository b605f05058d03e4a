// What this adapter uses of the OpenAI Agents SDK. These types are our own, so nothing of the SDK is imported: the runner
// of the application brings its own copy of it. Values that differ between providers and versions are `unknown`, and are
// checked when they are read. integrations/openai-agents.test.ts checks the types against the real ones.

/** An `Agent` of the SDK. */
export interface OpenAIAgent {
  readonly name: string
  /** The name of its model, or a model. */
  readonly model?: unknown
}

/** A `Runner` of the SDK. */
export interface OpenAIRunner {
  run(agent: OpenAIAgent, input: unknown, options: RunOptions): PromiseLike<StreamedRun>
}

export interface RunOptions {
  readonly stream: true
  readonly signal: AbortSignal
  /** The most model calls. */
  readonly maxTurns: number
  /** What the tools and the instructions of the agents get as their context. */
  readonly context?: unknown
}

/** A run that is under way: the `StreamedRunResult` of the SDK. */
export interface StreamedRun extends AsyncIterable<RunEvent> {
  /** The calls that wait for an approval. They are known when the stream has ended. */
  readonly interruptions: readonly ApprovalItem[]
  /** `undefined` when the run has not come to its end. */
  readonly finalOutput?: unknown
  readonly state: RunState
}

/** Where a run stands. The runner takes it as its input, to continue a run that waits for approvals. */
export interface RunState {
  /** What all model calls have used so far, those of agents that work as tools included. */
  readonly usage: unknown
  approve(item: ApprovalItem): void
  /** `message` is what the model reads. */
  reject(item: ApprovalItem, options: { readonly message: string }): void
}

export interface ApprovalItem {
  readonly type: 'tool_approval_item'
  readonly rawItem: unknown
}

export type RunEvent =
  | { readonly type: 'raw_model_stream_event'; readonly data: ModelEvent }
  | { readonly type: 'run_item_stream_event'; readonly item: RunItem }
  | { readonly type: 'agent_updated_stream_event'; readonly agent: OpenAIAgent }

/** What a model streams. `model` carries an event of the provider, as it came. */
export interface ModelEvent {
  readonly type: string
  readonly delta?: unknown
  readonly response?: unknown
  readonly event?: unknown
}

/** What has happened in a run: a call, a result, a handoff, … */
export interface RunItem {
  readonly type: string
  /** The call or the result as the model has it. */
  readonly rawItem?: unknown
  /** The value that a tool returned. */
  readonly output?: unknown
}
