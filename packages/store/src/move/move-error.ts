/** Thrown when data cannot be moved. The message says what to do. The source is unchanged in any case. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
  /**
   * - `source`: the data cannot be read as it is.
   * - `target`: the database has data already, or another process moves data into it.
   * - `difference`: what was written is not what was read.
   */
  readonly code: 'source' | 'target' | 'difference'

  constructor(code: MoveError['code'], message: string) {
    super(message)
    this.code = code
  }
}
