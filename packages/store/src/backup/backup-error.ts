/** Thrown when a backup cannot be made. The message says what to do. Nothing of the backup is left behind. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
  /**
   * - `exists`: there is something at the place of the backup.
   * - `busy`: another backup of the same data is under way.
   * - `failed`: the data cannot be read, or the backup cannot be written.
   */
  readonly code: 'exists' | 'busy' | 'failed'

  constructor(code: BackupError['code'], message: string) {
    super(message)
    this.code = code
  }
}
