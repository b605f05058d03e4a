import { SqlError } from './sql.ts'
import type { UnsavedFiles } from './unsaved-files.ts'

/** The options of the sweeps. */
export interface FileSweepOptions {
  /** Called when files could not be removed. They are tried again at the next sweep. */
  readonly report: (problem: string) => void
  /** The time between two sweeps, in milliseconds. Default: an hour. */
  readonly everyMs?: number
}

/** Sweeps of files, under way until they are closed. */
export interface FileSweeps {
  /** Ends the sweeps, after the database was closed. */
  close(): Promise<void>
}

/** Removes the bytes of files that were never saved: now, and then every hour. */
export function startFileSweeps(
  unsaved: Pick<UnsavedFiles, 'sweep'>,
  { report, everyMs = 3_600_000 }: FileSweepOptions,
): FileSweeps {
  let current = sweep()
  const timer = setInterval(() => {
    current = current.then(sweep)
  }, everyMs).unref()

  async function sweep(): Promise<void> {
    try {
      await unsaved.sweep()
    } catch (error) {
      if (error instanceof SqlError && error.code === 'closed') return
      const why = error instanceof Error ? error.message : String(error)
      report(`Files that were never saved could not be removed yet: ${why}`)
    }
  }

  return {
    async close() {
      clearInterval(timer)
      await current
    },
  }
}
