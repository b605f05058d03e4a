/** The words on the command line cannot work. The message says so in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
