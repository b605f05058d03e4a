import { setImmediate } from 'node:timers/promises'
import { logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import type { Logger } from 'pino'

/** How long the entries of finished runs are kept. Saved messages are kept in any case. By default everything is kept. */
export interface Retention {
  /** Entries are forgotten this many days after the end of their run. At least 1. */
  readonly maxAgeDays?: number | undefined
  /** Each chat keeps this many of its newest entries, in whole runs. Its newest run is kept in any case. At least 1. */
  readonly maxEntriesPerChat?: number | undefined
}

interface SweeperOptions {
  readonly store: Pick<Store, 'log' | 'dueTrims'>
  readonly retention: Retention
  readonly logger: Logger
  readonly now: () => Date
}

const dayMs = 24 * 60 * 60_000
/** A sweep looks at every chat, so it is not done often. */
const sweepEveryMs = 60 * 60_000

/**
 * Trims the logs of finished runs: once now, and then every hour. A viewer whose position was trimmed gets a reset, and
 * loads the messages. Returns a function that ends this, and waits for a sweep that is under way. Without a rule in
 * `retention`, nothing is ever trimmed.
 */
export function startLogSweeper(options: SweeperOptions): () => Promise<void> {
  const { maxAgeDays, maxEntriesPerChat } = options.retention
  if (maxAgeDays === undefined && maxEntriesPerChat === undefined) return async () => undefined
  const closing = new AbortController()
  const sweepOnce = () =>
    sweepLogs(options, closing.signal).catch(error => {
      if (!closing.signal.aborted) options.logger.warn({ err: error }, 'logs could not be trimmed')
    })
  let sweep = sweepOnce()
  const timer = setInterval(() => {
    sweep = sweep.then(sweepOnce)
  }, sweepEveryMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    closing.abort()
    await sweep
  }
}

/** Looks at every chat once, and trims what the rules no longer keep. */
async function sweepLogs({ store, retention, now }: SweeperOptions, signal: AbortSignal): Promise<void> {
  const { maxAgeDays, maxEntriesPerChat: maxEntries } = retention
  const endedBefore =
    maxAgeDays === undefined ? undefined : new Date(now().getTime() - maxAgeDays * dayMs).toISOString()
  let after: ChatKey | undefined
  do {
    const { trims, last } = await store.dueTrims.find({ endedBefore, maxEntries }, after)
    for (const { upTo, ...chat } of trims) {
      if (signal.aborted) return
      await store.log.trim(logName(chat), upTo)
    }
    after = last
    await setImmediate()
  } while (after !== undefined && !signal.aborted)
}
