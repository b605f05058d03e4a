import type { LogName } from '@throughline/log'
import type { LogHead } from './log-rows.ts'

/** Returns the head of a log, or `undefined` when there is no such log. */
export type LoadHead = (log: LogName) => Promise<LogHead | undefined>

/**
 * Returns a function that loads heads. All heads that are asked for in one turn of the event loop are loaded together.
 * Each call is followed by a query of its own turn, so it sees what was committed before the call.
 */
export function loadHeadsTogether(
  load: (logs: readonly LogName[]) => Promise<ReadonlyMap<LogName, LogHead>>,
): LoadHead {
  let waiting:
    | { readonly logs: Set<LogName>; readonly heads: Promise<ReadonlyMap<LogName, LogHead>> }
    | undefined

  function nextTurn() {
    const logs = new Set<LogName>()
    const heads = new Promise(resolve => setImmediate(resolve)).then(() => {
      waiting = undefined
      return load([...logs])
    })
    return { logs, heads }
  }

  return async log => {
    waiting ??= nextTurn()
    waiting.logs.add(log)
    return (await waiting.heads).get(log)
  }
}
