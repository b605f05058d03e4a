/** A graph of LangGraph waits for something that nobody can give, or has given. The message is for people. */
export class GraphWaitsError extends Error {
  override readonly name = 'GraphWaitsError'
  readonly code = 'graph-waits'

  /** `why`: default is what graphs wait for that cannot be asked here. */
  constructor(why = cannotBeAsked) {
    super(why)
  }
}

const cannotBeAsked =
  'The graph waits at a breakpoint, or for a decision that cannot be asked here. ' +
  'Use interrupt() with a question, or humanInTheLoopMiddleware with "approve" and "reject".'
