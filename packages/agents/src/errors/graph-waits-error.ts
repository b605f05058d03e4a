/** A graph of LangGraph waits for a person, and not for the approval of a tool call. The message is for people. */
export class GraphWaitsError extends Error {
  override readonly name = 'GraphWaitsError'
  readonly code = 'graph-waits'

  constructor() {
    super(
      'The graph waits for a person, but not for the approval of a tool call, and only that can be asked here. ' +
        'Use humanInTheLoopMiddleware with "approve" and "reject" instead of interrupt() or a breakpoint, ' +
        'or let the graph ask in its answer.',
    )
  }
}
