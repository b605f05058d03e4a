/** Why a command cannot do what it was asked for, in words that say what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
