/** An error that a person can mend. It is printed without a stack; its message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
