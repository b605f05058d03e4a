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
