/** Thrown when an entry cannot be folded: a writer broke the rules of the log, or a reader lost entries. */
export class FoldError extends Error {
  override readonly name = 'FoldError'
  /**
   * `gap`: entries before this one are missing. `unknown-message`, `unknown-part`: the entry changes a message or a
   * part that no earlier entry has opened.
   */
  readonly code: 'gap' | 'unknown-message' | 'unknown-part'

  constructor(code: FoldError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Returns the message of an error: a chunk came for something that no earlier chunk has opened. */
export function notOpen(type: string, name: string, opener: string): string {
  return `A ${type} chunk came for ${name}, which is not open. Send "${opener}" first.`
}
