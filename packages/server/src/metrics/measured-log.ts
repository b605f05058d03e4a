import type { LogStore } from '@throughline/log'
import type { LogProbe } from './log-probe.ts'
import type { Tally } from './tally.ts'

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
