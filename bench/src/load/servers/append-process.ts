import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lease, logName } from '@throughline/log'
import { createId, type EntryDraft, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { z } from 'zod'
import { serveBench } from '../../child.ts'
import { sleep } from '../../timing.ts'
import { now } from '../clock.ts'
import { makeDataFolder } from './data-folder.ts'
import { openEarlierLog } from './earlier-log.ts'

// Appends to many logs in turns, with the store as it is, or with the layout that it had before. The database has a
// thread of its own in both cases, and the bench reads the CPU time of that thread.
interface Appender {
  /** Appends `count` entries at once. */
  append(log: number, count: number): Promise<unknown>
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
const moveMs = 6_000
/** How often due appends are looked for, in milliseconds. */
const tickMs = 1
const work = z.object({ logs: z.number(), perSecond: z.number(), seconds: z.number() })

serveBench('', {
  /** Writes entries to the first logs in turns when the entries are due, whatever the store does. Waits for all of them. */
  async append(parameters) {
    const { logs: used, perSecond, seconds } = work.parse(parameters)
    const startedAt = now()
    const writers = Array.from({ length: used }, (_, log) => new Writer(log))
    let count = 0
    while (count < used * perSecond * seconds) {
      await sleep(tickMs)
      const due = Math.min((now() - startedAt) / 1000, seconds) * used * perSecond
      for (; count < Math.floor(due); count += 1) writers[count % used]?.add()
    }
    while (writers.some(writer => writer.isWriting)) await sleep(tickMs)
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

/** Writes to one log as a run does: one append at a time, and what comes meanwhile makes up the next one. */
class Writer {
  readonly #log: number
  #waiting = 0
  isWriting = false

  constructor(log: number) {
    this.#log = log
  }

  add(): void {
    this.#waiting += 1
    if (!this.isWriting) void this.#write()
  }

  async #write(): Promise<void> {
    this.isWriting = true
    while (this.#waiting > 0) {
      const count = this.#waiting
      this.#waiting = 0
      await appender.append(this.#log, count)
    }
    this.isWriting = false
  }
}

async function storeAppender(): Promise<Appender> {
  const store = await openStore(folder)
  const ownerId = createId(isOwnerId, 'owner')
  const names = Array.from({ length: logs }, () => logName({ ownerId, chatId: createId(isChatId, 'chat') }))
  const leases: readonly Lease[] = await Promise.all(names.map(name => store.log.acquire(name)))
  const ends = leases.map(() => 0)
  return {
    async append(log, count) {
      const lease = leases[log]
      const after = ends[log]
      if (lease === undefined || after === undefined) throw new RangeError(`There is no log ${log}.`)
      ends[log] = after + count
      await store.log.append(
        lease,
        after,
        Array.from({ length: count }, () => draft),
      )
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
    append: (number, count) =>
      log.append({ log: number, runId: draft.runId, messageId: draft.messageId, json, count }),
    // In the earlier layout, the entries are in their own place from the beginning.
    release: () => undefined,
    close: () => log.close(),
  }
}
