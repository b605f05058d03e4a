/** Knows which part of a graph was started by which. LangChain calls every part a run, and gives it an id. */
export class RunTree {
  readonly #parents = new Map<string, string | undefined>()
  readonly #tools = new Set<string>()

  begin(runId: string, parentId: string | undefined): void {
    this.#parents.set(runId, parentId)
  }

  beginTool(runId: string, parentId: string | undefined): void {
    this.begin(runId, parentId)
    this.#tools.add(runId)
  }

  end(runId: string): void {
    this.#parents.delete(runId)
    this.#tools.delete(runId)
  }

  /** Returns whether a run works inside a tool, at whatever depth. */
  isInsideTool(runId: string): boolean {
    for (let id = this.#parents.get(runId); id !== undefined; id = this.#parents.get(id))
      if (this.#tools.has(id)) return true
    return false
  }
}

/** A part of the graph that begins. LangChain calls it a run. */
export interface StartedRun {
  readonly runId: string
  /** The run that has started it. */
  readonly parentId?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly name?: string | undefined
}

export interface StartedGraphTool {
  readonly input: string
  readonly name?: string | undefined
  /** Missing when the tool was not called by a model. */
  readonly toolCallId?: string | undefined
}
