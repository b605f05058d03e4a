import { type Lease, LogError, type LogStore } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { createLogTables, openTestLog } from '@throughline/testing/postgres/postgres-log'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'

const raceCount = Number(process.env['LOG_RACES'] ?? 100)
/** How many logs are raced for at once. */
const width = 10

test(`of ${raceCount} stale holders who append while another node takes over, none writes after it`, async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using old = await openTestLog(database.url)
  await using next = await openTestLog(database.url)
  let staleCount = 0
  let refusedCount = 0
  for (let race = 0; race < raceCount; race += width) {
    const races = Array.from({ length: Math.min(width, raceCount - race) }, (_, lane) =>
      runRace(`chat-${race + lane}`, { old: old.store, next: next.store }),
    )
    for (const { wasRefused, isStale } of await Promise.all(races)) {
      if (wasRefused) refusedCount += 1
      if (isStale) staleCount += 1
    }
  }
  expect(staleCount).toBe(0)
  // Both ends of the race were seen: some appends came first, some takeovers did.
  expect(refusedCount).toBeGreaterThan(0)
})

interface Nodes {
  readonly old: LogStore
  readonly next: LogStore
}

/** Appends on the old node without a pause, while the next node takes the log over and goes on. */
async function runRace(chat: string, { old, next }: Nodes) {
  const log = testLog(chat)
  const stale = await old.acquire(log)
  const appending = appendUntilRefused(old, stale)
  // Some takeovers come before the first append, most of them between two appends.
  for (let turns = Math.floor(Math.random() * 40); turns > 0; turns -= 1) await old.open(log)
  const lease = await next.acquire(log)
  const [last] = await next.append(lease, lease.head.seq, [textDraft('by the next holder')])
  const { acknowledged, wasRefused } = await appending
  const entries = await next.read(log, { ...lease.head, seq: 0 }, 10_000)
  const isWhole = entries.slice(0, -1).every(({ seq }, index) => seq === index + 1)
  const isStale = last === undefined || entries.at(-1)?.seq !== last.seq || !isWhole
  // What the old holder was told to be written is written, and nothing else is.
  expect(entries.slice(0, -1)).toEqual(acknowledged)
  return { wasRefused, isStale }
}

async function appendUntilRefused(store: LogStore, lease: Lease) {
  const acknowledged: Entry[] = []
  for (;;) {
    const text = textDraft(`${acknowledged.length}`)
    try {
      acknowledged.push(...(await store.append(lease, acknowledged.length, [text])))
    } catch (error) {
      if (!(error instanceof LogError)) throw error
      return { acknowledged, wasRefused: error.code === 'fenced' }
    }
  }
}
