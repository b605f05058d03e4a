import type { Entry } from '@throughline/protocol/entry'
import type { Position } from '@throughline/protocol/position'
import type { LogName, LogStore } from './log-store.ts'

export interface FollowOptions {
  readonly after: Position
  /** Ends the follower at once. */
  readonly signal: AbortSignal
  /** Ends the follower too, but only after it has given out every entry that the log has by then. */
  readonly closing?: AbortSignal | undefined
  readonly pageSize?: number
  /** How long a lost ring can delay an entry. */
  readonly pollMs?: number
}

/**
 * Every entry of a log after a position, once and in order, in pages: first those that are there, then
 * those that come, until a signal aborts. The only place where replay and live meet.
 */
export async function* follow(
  store: Pick<LogStore, 'read' | 'onAppend'>,
  log: LogName,
  { after, signal, closing, pageSize = 512, pollMs = 5_000 }: FollowOptions,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const bell = createBell()
  // Listens before the first read, so an append between the two is never missed.
  const unlisten = store.onAppend(log, bell.ring)
  // Looking now and then is a ring that nobody sent. So is the end.
  const poll = setInterval(bell.ring, pollMs)
  signal.addEventListener('abort', bell.ring)
  closing?.addEventListener('abort', bell.ring)
  let position = after
  try {
    while (!signal.aborted) {
      bell.silence()
      // Asked before the read: what was appended before the closing is in this read or in a later one.
      const isClosing = closing?.aborted === true
      const page = await store.read(log, position, pageSize)
      const last = page.at(-1)
      if (last !== undefined && !signal.aborted) {
        position = { epoch: position.epoch, seq: last.seq }
        yield page
      }
      // A full page may not be the last one; otherwise whatever came since the read has rung.
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
