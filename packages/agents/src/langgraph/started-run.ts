/** A part of the graph that begins. LangChain calls it a run. */
export interface StartedRun {
  readonly runId: string
  /** The run that has started it. */
  readonly parentId?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly name?: string | undefined
}

export interface StartedTool {
  readonly input: string
  readonly name?: string | undefined
  /** Missing when the tool was not called by a model. */
  readonly toolCallId?: string | undefined
}
