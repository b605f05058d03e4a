import type { Entry, Position } from '@throughline/protocol'
import { abortListeners } from './abort-listeners.ts'
import type { LogName, LogStore } from './log-store.ts'

/** From where to follow a log, and until when. */
export interface FollowOptions {
  /** The entries after this position are wanted. */
  readonly after: Position
  /** Ends following at once. */
  readonly signal: AbortSignal
  /** Ends following too, but first yields every entry that is in the log at the time of the abort. */
  readonly closing?: AbortSignal | undefined
  /** Whether this is the last entry that is wanted. Following ends after it. Default: no entry is. */
  readonly isLast?: ((entry: Entry) => boolean) | undefined
  /** How many entries one page has at most. Default: 512. */
  readonly pageSize?: number
}

/**
 * Yields every entry of a log after a position, once and in order, in pages: first the entries that are there, then
 * those that are appended. Ends after the entry that `isLast` names, or when a signal aborts. Returns whether that
 * entry was yielded. No other code joins replayed and live entries. Throws a `LogError` (`unknown-position`) when the
 * log does not have the position.
 *
 * A follower that waits costs little. It has no timer, because the store rings after every append. It holds no entries,
 * because thousands of followers may wait.
 */
export async function* follow(
  store: Pick<LogStore, 'read' | 'onAppend'>,
  log: LogName,
  { after, signal, closing, isLast = isNever, pageSize = 512 }: FollowOptions,
): AsyncGenerator<readonly Entry[], boolean, undefined> {
  const bell = new Bell()
  // Starts to listen before the first read. So an append between the two is not missed.
  const unlisten = store.onAppend(log, bell.ring)
  // An abort ends the wait too. Each follower has its own `signal`, but all streams of a server share `closing`.
  signal.addEventListener('abort', bell.ring)
  const closings = closing && abortListeners(closing)
  closings?.add(bell.ring)
  const { epoch } = after
  let { seq } = after
  // A suspended generator keeps its variables. So this one is emptied before every wait.
  let page: readonly Entry[] = nothing
  try {
    while (!signal.aborted) {
      bell.silence()
      // Checked before the read. Then every entry from before the abort is in this page or in a later one.
      const isClosing = closing?.aborted === true
      page = await store.read(log, { epoch, seq }, pageSize)
      const isAtEnd = page.length === 0
      const end = page.findIndex(isLast)
      if (end !== -1) page = page.slice(0, end + 1)
      if (page.length > 0 && !signal.aborted) {
        seq = page.at(-1)?.seq ?? seq
        yield page
        if (end !== -1) return true
      }
      page = nothing
      // Only an empty page says that there are no more entries. Anything newer has rung the bell.
      if (!isAtEnd || signal.aborted) continue
      if (isClosing) return false
      await bell.rings()
    }
    return false
  } finally {
    unlisten()
    signal.removeEventListener('abort', bell.ring)
    closings?.remove(bell.ring)
  }
}

const nothing: readonly Entry[] = []

function isNever(): boolean {
  return false
}

/** Remembers a ring that comes while nobody waits for it. */
class Bell {
  #hasRung = false
  #wake: (() => void) | undefined

  readonly ring = (): void => {
    this.#hasRung = true
    this.#wake?.()
    this.#wake = undefined
  }

  silence(): void {
    this.#hasRung = false
  }

  /** Resolves at the next ring; at once if the bell has rung since `silence`. */
  rings(): Promise<void> | undefined {
    if (this.#hasRung) return undefined
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}
