import type { ChatKey, EndStatus } from '@throughline/protocol'
import type { Run, Signals, Store } from '@throughline/store'
import { pollMs } from './poll.ts'

/** What is read, and for how long. */
export interface Reading<Value> {
  /** Returns what is waited for, or `undefined` as long as it is not there. */
  readonly read: () => Promise<Value | undefined>
  /** How long to wait at most, in milliseconds. Default: as long as it takes. */
  readonly maxMs?: number | undefined
  /** How often to look when nobody rings, in milliseconds. Default: 2,000. */
  readonly everyMs?: number | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Waits for something in the rows of a chat. Reads at once, after each ring for the chat, and every two seconds. Returns
 * `undefined` when the time is over or the signal aborts.
 */
export async function readUntil<Value>(
  signals: Signals,
  chat: ChatKey,
  { read, maxMs = Number.POSITIVE_INFINITY, everyMs = pollMs, signal }: Reading<Value>,
): Promise<Value | undefined> {
  const until = performance.now() + maxMs
  let rung = Promise.withResolvers<void>()
  const wake = () => rung.resolve()
  const endRings = signals.onRing(chat, wake)
  signal?.addEventListener('abort', wake)
  try {
    for (;;) {
      // Made before the read. A ring during the read leads to another read.
      rung = Promise.withResolvers<void>()
      const value = await read()
      const leftMs = until - performance.now()
      if (value !== undefined || leftMs <= 0 || signal?.aborted === true) return value
      const timer = setTimeout(wake, Math.min(everyMs, leftMs))
      await rung.promise
      clearTimeout(timer)
    }
  } finally {
    endRings()
    signal?.removeEventListener('abort', wake)
  }
}

/**
 * Waits until a run is over, whichever process has it. Returns how it ended; `gone` when it was removed with its chat;
 * `undefined` when the time is over or the signal aborts.
 */
export function untilOver(
  { runs, signals }: Pick<Store, 'runs' | 'signals'>,
  run: Run,
  waiting: Omit<Reading<unknown>, 'read'> = {},
): Promise<EndStatus | 'gone' | undefined> {
  return readUntil(signals, run, {
    ...waiting,
    async read() {
      const { status = 'gone' } = (await runs.get(run.ownerId, run.id)) ?? {}
      return status === 'running' ? undefined : status
    },
  })
}
