import type { LogName, LogStore } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { createLogTables, openTestLog } from '@throughline/testing/postgres/postgres-log'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'

const entryCount = Number(process.env['LOG_FAULT_ENTRIES'] ?? 40)
const logs = ['a', 'b', 'c', 'd'].map(chat => testLog(chat))

test.for(['cut', 'reset', 'black-hole'] as const)(
  'connections that end in a %s lose no entry and double none',
  async type => {
    await using database = await testDatabase()
    await createLogTables(database.url)
    await using proxy = await startFaultProxy(database.url, faultAfterBytes(type))
    await using direct = await openTestLog(database.url)
    await using disturbed = await openTestLog(proxiedUrl(database.url, proxy), {
      notificationsUrl: database.url,
      timeoutMs: 500,
    })
    const written = await Promise.all(logs.map(log => appendMany(disturbed.store, log)))
    for (const [index, log] of logs.entries()) {
      const { epoch } = await direct.store.open(log)
      const entries = await direct.store.read(log, { epoch, seq: 0 }, 10_000)
      expect(entries).toEqual(written[index])
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1))
    }
    expect(proxy.connectionCount).toBeGreaterThan(logs.length)
  },
)

test('while the server is away, appends wait; when that lasts too long they fail by name, and later ones succeed', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  let isAway = false
  await using proxy = await startFaultProxy(database.url, () =>
    isAway ? { type: 'reset', afterBytes: 0 } : { type: 'none' },
  )
  const url = proxiedUrl(database.url, proxy)
  await using patient = await openTestLog(url)
  await using hasty = await openTestLog(url, { maxWaitMs: 100 })
  const waiting = await patient.store.acquire(testLog('waiting'))
  const failing = await hasty.store.acquire(testLog('failing'))
  isAway = true
  proxy.resetAll()
  const appended = patient.store.append(waiting, 0, [textDraft('waits')])
  const error = await hasty.store.append(failing, 0, [textDraft('fails')]).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'SqlError', code: 'unreachable' })
  isAway = false
  expect(await appended).toMatchObject([{ seq: 1 }])
  expect(await hasty.store.append(failing, 0, [textDraft('succeeds')])).toMatchObject([{ seq: 1 }])
})

/** Every connection ends after a few appends. Black holes are rarer, because each is only noticed after a while. */
function faultAfterBytes(type: 'cut' | 'reset' | 'black-hole'): (connection: number) => Fault {
  const range = type === 'black-hole' ? 40_000 : 12_000
  // A large prime number, so that the connections end in many different places.
  return connection => ({ type, afterBytes: 2_000 + ((connection * 7_919) % range) })
}

async function appendMany(store: LogStore, log: LogName) {
  const lease = await store.acquire(log)
  const entries: Entry[] = []
  while (entries.length < entryCount) {
    const drafts = Array.from({ length: 1 + (entries.length % 3) }, (_, index) =>
      textDraft(`${log} ${entries.length + index} ${'x'.repeat(200)}`),
    )
    entries.push(...(await store.append(lease, entries.length, drafts)))
  }
  return entries
}
