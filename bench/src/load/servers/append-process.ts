import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lease, logName } from '@throughline/log/log-store'
import type { EntryDraft } from '@throughline/protocol/entry'
import { createId, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol/ids'
import { openStore } from '@throughline/store/open-store'
import { z } from 'zod'
import { serveBench } from '../../child.ts'
import { sleep } from '../../timing.ts'
import { makeDataFolder } from './data-folder.ts'
import { openEarlierLog } from './earlier-log.ts'

// Appends to many logs in turns, with the store as it is, or with the layout that it had before. The database has a
// thread of its own in both cases, and the bench reads the CPU time of that thread.
interface Appender {
  append(log: number): Promise<unknown>
  /** The runs of all logs have ended: the store may move their entries to their own place. */
  release(): void
  close(): Promise<void>
}

const draft: EntryDraft = {
  runId: createId(isRunId, 'run'),
  messageId: createId(isMessageId, 'msg'),
  chunk: { type: 'text-delta', id: 'text-1', delta: 'twelve chars' },
}
const folder = await makeDataFolder()
const logs = Number(process.argv[3])
const appender = process.argv[2] === 'earlier' ? await earlierAppender() : await storeAppender()
/** How long the store has to move the entries, in milliseconds. */
const moveMs = 2_000
const work = z.object({ appends: z.number(), atOnce: z.number() })

serveBench('', {
  async append(parameters) {
    const { appends, atOnce } = work.parse(parameters)
    for (let done = 0; done < appends; done += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, index) => appender.append((done + index) % logs)))
  },
  async release() {
    appender.release()
    await sleep(moveMs)
  },
  async close() {
    await appender.close()
    await rm(folder, { recursive: true })
  },
})

async function storeAppender(): Promise<Appender> {
  const store = await openStore(folder)
  const ownerId = createId(isOwnerId, 'owner')
  const names = Array.from({ length: logs }, () => logName({ ownerId, chatId: createId(isChatId, 'chat') }))
  const leases: readonly Lease[] = await Promise.all(names.map(name => store.log.acquire(name)))
  const ends = leases.map(() => 0)
  return {
    async append(log) {
      const lease = leases[log]
      const after = ends[log]
      if (lease === undefined || after === undefined) throw new RangeError(`There is no log ${log}.`)
      ends[log] = after + 1
      await store.log.append(lease, after, [draft])
    },
    release() {
      for (const lease of leases) store.log.release(lease)
    },
    close: () => store.close(),
  }
}

async function earlierAppender(): Promise<Appender> {
  const log = await openEarlierLog(join(folder, 'earlier.sqlite'), logs)
  const json = JSON.stringify(draft.chunk)
  return {
    append: number => log.append({ log: number, runId: draft.runId, messageId: draft.messageId, json }),
    // In the earlier layout, the entries are in their own place from the beginning.
    release: () => undefined,
    close: () => log.close(),
  }
}
