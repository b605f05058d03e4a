/** An agent yielded something that is no agent event. Nothing of it was written. */
export class AgentEventError extends Error {
  override readonly name = 'AgentEventError'
  readonly code = 'invalid-event'
  /** What is wrong, in words that a person may read. It names types and fields, never contents. */
  readonly problem: string

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}. Ensure that the agent yields nothing but values of the type AgentEvent.`, options)
    this.problem = problem
  }
}
