import { DatabaseSync } from 'node:sqlite'
import { createMemoryLogStore, type LogStore } from '@throughline/log'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrations } from '../../src/database/migrations.ts'
import type { ChoreOptions } from '../../src/sqlite/chores.ts'
import { createSqliteLogStore } from '../../src/sqlite/sqlite-log-store.ts'
import { inlineThread } from './inline-thread.ts'

const logs = ['a', 'b', 'c'].map(chat => testLog(chat))

type Command =
  /** Appends to this log and to as many after it, all at once. */
  | { readonly type: 'append'; readonly log: number; readonly logs: number; readonly count: number }
  | { readonly type: 'settle' | 'remove'; readonly log: number }
  | { readonly type: 'trim'; readonly log: number; readonly share: number }
  /** The process dies here, and another one opens the same file. */
  | { readonly type: 'crash' }
  /** The thread has time for so many slices of its chores. */
  | { readonly type: 'chores'; readonly count: number }

const log = fc.nat({ max: logs.length - 1 })
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('append'),
      log,
      logs: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('settle'), log }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove'), log }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('trim'),
      log,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('crash') }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('chores'), count: fc.integer({ min: 1, max: 6 }) }) },
)

test('however entries are moved, trimmed and removed, and whenever the process dies, every log reads as one in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 2, max: 12 }),
      async (commands, sliceEntries, maxTailRows) => {
        using database = openDatabase()
        const stage = new Stage(database, { sliceEntries, maxTailRows })
        for (const each of commands) {
          await stage.run(each)
          await stage.compare()
        }
        stage.close()
      },
    ),
    { numRuns: 100 },
  )
})

test('when all is quiet, the tail is empty and every entry of a log that exists is in its own place', async () => {
  using database = openDatabase()
  const stage = new Stage(database, { sliceEntries: 3, maxTailRows: 1_000 })
  for (let round = 0; round < 20; round += 1)
    for (const log of logs.keys()) await stage.run({ type: 'append', log, logs: 1, count: 2 })
  await stage.run({ type: 'remove', log: 1 })
  await stage.run({ type: 'trim', log: 2, share: 0.5 })
  for (const log of [0, 2]) await stage.run({ type: 'settle', log })
  await stage.run({ type: 'chores', count: 200 })
  const count = (table: string) =>
    Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count'])
  expect([count('log_tail'), count('log_entries'), count('log_removals')]).toEqual([0, 60, 0])
  await stage.compare()
  stage.close()
})

test('the entries of a removed log leave the tail, also when nothing else happens', async () => {
  using database = openDatabase()
  const stage = new Stage(database, { sliceEntries: 3, maxTailRows: 1_000 })
  await stage.run({ type: 'chores', count: 10 })
  for (let round = 0; round < 20; round += 1) await stage.run({ type: 'append', log: 0, logs: 1, count: 2 })
  await stage.run({ type: 'remove', log: 0 })
  await stage.run({ type: 'chores', count: 200 })
  expect(database.prepare('select count(*) as count from log_tail').get()).toEqual({ count: 0 })
  stage.close()
})

/** A log store on SQLite and one in memory, to which the same happens. */
class Stage {
  readonly #database: DatabaseSync
  readonly #options: ChoreOptions
  readonly #model = createMemoryLogStore()
  #thread: ReturnType<typeof inlineThread>
  #store: LogStore
  #count = 0

  constructor(database: DatabaseSync, options: ChoreOptions) {
    this.#database = database
    this.#options = options
    this.#thread = inlineThread(database, options)
    this.#store = createSqliteLogStore(this.#thread, { now: () => 0 })
  }

  async run(command: Command): Promise<void> {
    if (command.type === 'crash') return this.#crash()
    if (command.type === 'chores') {
      for (let slice = 0; slice < command.count; slice += 1) this.#thread.commits.drain()
      return
    }
    const log = logs[command.log] ?? testLog('a')
    switch (command.type) {
      case 'append': {
        const drafts = Array.from({ length: command.count }, () => textDraft(`${++this.#count}`))
        const others = logs.slice(command.log, command.log + command.logs)
        for (const store of this.#stores)
          await Promise.all(others.map(async each => appendAtEnd(store, await store.acquire(each), drafts)))
        return
      }
      case 'settle':
        for (const store of this.#stores) store.release(await store.acquire(log))
        return
      case 'trim': {
        const { seq } = await this.#model.open(log)
        for (const store of this.#stores) await store.trim(log, Math.round(seq * command.share))
        return
      }
      case 'remove':
        for (const store of this.#stores) await store.remove(log)
    }
  }

  /** Every position of every log gives the same in both. */
  async compare(): Promise<void> {
    for (const log of logs) {
      const [ours, model] = [await this.#store.open(log), await this.#model.open(log)]
      expect(ours.seq).toBe(model.seq)
      for (let seq = 0; seq <= model.seq; seq += 1) {
        const read = await readAfter(this.#store, log, { ...ours, seq })
        expect(read).toEqual(await readAfter(this.#model, log, { ...model, seq }))
      }
    }
  }

  close(): void {
    this.#thread.commits.close()
  }

  get #stores(): readonly LogStore[] {
    return [this.#store, this.#model]
  }

  #crash(): void {
    this.close()
    this.#thread = inlineThread(this.#database, this.#options)
    this.#store = createSqliteLogStore(this.#thread, { now: () => 0 })
  }
}

async function readAfter(
  store: LogStore,
  log: (typeof logs)[number],
  after: { epoch: string; seq: number },
): Promise<unknown> {
  try {
    const page = await store.read(log, after, 7)
    return page.map(({ seq, chunk }) => ({ seq, chunk }))
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

function openDatabase(): DatabaseSync & Disposable {
  const database = new DatabaseSync(':memory:')
  for (const { statements } of migrations) for (const statement of statements) database.exec(statement)
  return database
}
