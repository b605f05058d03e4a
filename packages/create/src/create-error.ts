/** Thrown when a project cannot be made for a reason that a person can mend. The message says what to do. */
export class CreateError extends Error {
  override readonly name = 'CreateError'
}
