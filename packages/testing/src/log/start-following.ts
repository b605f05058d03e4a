import { follow, type LogName, type LogStore } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { inTime } from '../waits/in-time.ts'

/**
 * Follows a log from its beginning to its end chunk. `isWaiting` resolves when the follower has read what is there, and
 * waits for the bell.
 */
export async function startFollowing(store: LogStore, log: LogName) {
  const { epoch } = await store.open(log)
  const entries: Entry[] = []
  const waiting = Promise.withResolvers<void>()
  // An empty page says that the follower is at the end, and waits for the bell.
  const watched: Pick<LogStore, 'read' | 'onAppend'> = {
    onAppend: store.onAppend,
    async read(name, after, limit) {
      const page = await store.read(name, after, limit)
      if (page.length === 0) waiting.resolve()
      return page
    },
  }
  const run = async () => {
    const signal = new AbortController().signal
    const isLast = ({ chunk }: Entry) => chunk.type === 'finish'
    for await (const page of follow(watched, log, { after: { epoch, seq: 0 }, signal, isLast }))
      entries.push(...page)
    return entries
  }
  const seen = () => entries
  const end = run()
  return {
    get entries() {
      return inTime('the follower has the end of the log', end, { seen })
    },
    get isWaiting() {
      return inTime('the follower waits for the bell', waiting.promise, { seen })
    },
    count: () => entries.length,
  }
}
