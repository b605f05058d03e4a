/** The log does not fold: a writer broke its contract, or a reader lost entries. */
export class FoldError extends Error {
  override readonly name = 'FoldError'
  readonly code: 'gap' | 'unknown-message' | 'unknown-part'

  constructor(code: FoldError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Says that a chunk came for what no chunk before it has opened. */
export function notOpen(type: string, name: string, opener: string): string {
  return `A ${type} chunk came for ${name}, which is not open. Ensure a "${opener}" chunk is sent first.`
}
