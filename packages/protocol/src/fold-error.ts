/** The log does not fold: a writer broke its contract, or a reader lost entries. */
export class FoldError extends Error {
  override readonly name = 'FoldError'
  readonly code: 'gap' | 'unknown-message' | 'unknown-part'

  constructor(code: FoldError['code'], message: string) {
    super(message)
    this.code = code
  }
}
