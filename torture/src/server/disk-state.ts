/** What the main thread tells the thread of the database about the disk. */
export interface DiskState {
  /** The database file may not grow: SQLite itself says that the disk is full as soon as it needs another page. */
  readonly isFull: boolean
  /** How many commits fail from now on, whether the file has room or not. */
  readonly failingCommits: number
}

/** The name of the channel between the two threads. */
export const diskChannel = 'throughline-torture-disk'

export function isDiskState(value: unknown): value is DiskState {
  return typeof value === 'object' && value !== null && 'isFull' in value && 'failingCommits' in value
}
