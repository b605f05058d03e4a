import type { Entry, Position } from '@throughline/protocol'
import type { LogName, LogStore } from './log-store.ts'

/** From where to follow a log, and until when. */
export interface FollowOptions {
  /** The entries after this position are wanted. */
  readonly after: Position
  /** Ends following at once. */
  readonly signal: AbortSignal
  /** Ends following too, but first yields every entry that is in the log at the time of the abort. */
  readonly closing?: AbortSignal | undefined
  /** How many entries one page has at most. Default: 512. */
  readonly pageSize?: number
  /** How often to read even though no bell has rung, in milliseconds. Default: 5,000. */
  readonly pollMs?: number
}

/**
 * Yields every entry of a log after a position, once and in order, in pages: first the entries that are there, then
 * those that are appended, until a signal aborts. No other code joins replayed and live entries. Throws a `LogError`
 * (`unknown-position`) when the log does not have the position.
 */
export async function* follow(
  store: Pick<LogStore, 'read' | 'onAppend'>,
  log: LogName,
  { after, signal, closing, pageSize = 512, pollMs = 5_000 }: FollowOptions,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const bell = createBell()
  // Starts to listen before the first read. So an append between the two is not missed.
  const unlisten = store.onAppend(log, bell.ring)
  // A timer rings the bell too, in case a ring was lost. So does an abort, to end the wait.
  const poll = setInterval(bell.ring, pollMs)
  signal.addEventListener('abort', bell.ring)
  closing?.addEventListener('abort', bell.ring)
  let position = after
  try {
    while (!signal.aborted) {
      bell.silence()
      // Checked before the read. Then every entry from before the abort is in this page or in a later one.
      const isClosing = closing?.aborted === true
      const page = await store.read(log, position, pageSize)
      const last = page.at(-1)
      if (last !== undefined && !signal.aborted) {
        position = { epoch: position.epoch, seq: last.seq }
        yield page
      }
      // After a full page there may be more entries. After a shorter one, anything newer has rung the bell.
      if (page.length === pageSize || signal.aborted) continue
      if (isClosing) return
      await bell.rings()
    }
  } finally {
    unlisten()
    clearInterval(poll)
    signal.removeEventListener('abort', bell.ring)
    closing?.removeEventListener('abort', bell.ring)
  }
}

function createBell() {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      hasRung = true
      wake?.()
      wake = undefined
    },
    silence() {
      hasRung = false
    },
    async rings(): Promise<void> {
      if (!hasRung) await new Promise<void>(resolve => (wake = resolve))
    },
  }
}
