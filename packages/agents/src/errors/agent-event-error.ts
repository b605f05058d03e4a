/** An agent has yielded something that is not an agent event. Nothing of it was written. */
export class AgentEventError extends Error {
  override readonly name = 'AgentEventError'
  readonly code = 'invalid-event'
  /** What is wrong, for a person. It names types and fields, never values. */
  readonly problem: string

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}. Ensure that the agent yields nothing but values of the type AgentEvent.`, options)
    this.problem = problem
  }
}
