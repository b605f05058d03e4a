import type { LogName, LogStore } from '@throughline/log'
import type { Entry, Position } from '@throughline/protocol'
import type { Tally } from './tally.ts'

/** What a probe tells, in seconds. Both begin at the time in the entry. */
interface LogProbeOptions {
  /** How long it took until the bell rang here. */
  readonly onBell: (seconds: number) => void
  /** How long it took until a follower had passed the entry on. */
  readonly onLag: (seconds: number) => void
  /** Returns the time in milliseconds since 1970, by the clock that the times in entries come from. */
  readonly now: () => number
}

/** What a follower was given. */
interface Given {
  readonly log: LogStore
  readonly name: LogName
  readonly after: Position
  readonly entries: readonly Entry[]
}

/** One log that is watched from a follower that waits at its end to the entries that this follower has passed on. */
interface Sample {
  readonly epoch: string
  /** The follower waits after this entry, or was given entries up to it. */
  seq: number
  /** The time in the first entry that the follower was given; `undefined` while it waits. */
  at: number | undefined
  rungAt: number | undefined
  readonly unlisten: () => void
}

const maxSamples = 16
/** A new sample begins at most so often, in milliseconds. */
const minPauseMs = 50

/**
 * Measures how long entries take from their writer to the followers of this node. It looks at a few logs only, so that
 * it costs almost nothing.
 *
 * A follower that has read an empty page waits at the end of its log. The next page that is read from there is live: its
 * entries were written while somebody waited for them. When the follower reads on after this page, it has passed it on:
 * see `follow`.
 */
export class LogProbe {
  readonly #options: LogProbeOptions
  readonly #now: () => number
  readonly #samples = new Map<LogName, Sample>()
  #lastBegunAt = Number.NEGATIVE_INFINITY

  constructor(options: LogProbeOptions) {
    this.#options = options
    this.#now = options.now
  }

  /** A follower wants the entries after a position. So it has passed on those before. */
  asked(name: LogName, { epoch, seq }: Position): void {
    const sample = this.#samples.get(name)
    if (sample?.at === undefined || sample.epoch !== epoch || sample.seq !== seq) return
    this.#tell(this.#options.onLag, this.#now() - sample.at)
    this.#end(name, sample)
  }

  /** A follower got the entries after a position; none when it is at the end of the log. */
  got({ log, name, after, entries }: Given): void {
    const sample = this.#samples.get(name)
    const [first] = entries
    if (first === undefined) {
      if (sample === undefined) this.#begin(log, name, after)
      // A ring without an entry.
      else if (sample.at === undefined) sample.rungAt = undefined
      return
    }
    if (sample === undefined || sample.at !== undefined) return
    if (sample.epoch !== after.epoch || sample.seq !== after.seq) return
    if (sample.rungAt !== undefined) this.#tell(this.#options.onBell, sample.rungAt - first.at)
    sample.at = first.at
    sample.seq = after.seq + entries.length
    sample.unlisten()
  }

  #begin(log: LogStore, name: LogName, { epoch, seq }: Position): void {
    const now = this.#now()
    if (now - this.#lastBegunAt < minPauseMs) return
    this.#lastBegunAt = now
    for (const [oldest, sample] of this.#samples) {
      if (this.#samples.size < maxSamples) break
      this.#end(oldest, sample)
    }
    const unlisten = log.onAppend(name, () => {
      sample.rungAt ??= this.#now()
    })
    const sample: Sample = { epoch, seq, at: undefined, rungAt: undefined, unlisten }
    this.#samples.set(name, sample)
  }

  #end(name: LogName, sample: Sample): void {
    sample.unlisten()
    this.#samples.delete(name)
  }

  /** The clocks of two nodes may differ. What seems to have taken less than no time took none. */
  #tell(listener: (seconds: number) => void, ms: number): void {
    listener(Math.max(0, ms) / 1_000)
  }
}

/** Returns a log store that does the same, and tells how its appends and its followers fare. */
export function measuredLog(
  log: LogStore,
  { tally, probe }: { readonly tally: Tally; readonly probe: LogProbe },
): LogStore {
  return {
    append(lease, after, drafts) {
      const appended = log.append(lease, after, drafts)
      tally.count(appended, drafts.length)
      return appended
    },
    read(name, after, limit) {
      probe.asked(name, after)
      const page = log.read(name, after, limit)
      // Whoever reads handles the failure.
      page.then(entries => probe.got({ log, name, after, entries }), ignore)
      return page
    },
    acquire: name => log.acquire(name),
    release: lease => log.release(lease),
    open: name => log.open(name),
    onAppend: (name, ring) => log.onAppend(name, ring),
    trim: (name, upTo) => log.trim(name, upTo),
    remove: name => log.remove(name),
  }
}

function ignore(): void {}
