import { createSignals } from '@throughline/store/testing'
import { adasChat, bobsChat } from '@throughline/testing/store/store-rows'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { expect, test } from 'vitest'
import { RowWaits } from '../../src/signals/row-waits.ts'

const never = new AbortController().signal

test('one ring leads to one read for all who wait in the chat, and for nobody else', async () => {
  const world = startWaits()
  const ids = ['a', 'b', 'c']
  const waiting = ids.map(id => world.waits.until({ ...adasChat, id }, never))
  void world.waits.until({ ...bobsChat, id: 'other' }, never)
  await expect.poll(() => world.reads.flat().length >= 5).toBeTruthy()
  world.reads.length = 0
  for (const id of ids) world.rows.add(id)
  world.signals.ring(adasChat)
  expect(await Promise.all(waiting)).toEqual(ids)
  expect(world.reads).toEqual([ids])
})

test('without any ring, one read every two seconds finds what all of them wait for', async () => {
  const world = startWaits()
  const waiting = [
    world.waits.until({ ...adasChat, id: 'a' }, never),
    world.waits.until({ ...bobsChat, id: 'b' }, never),
  ]
  await expect.poll(() => world.reads.length === 2).toBeTruthy()
  world.rows.add('a').add('b')
  expect(await Promise.all(waiting)).toEqual(['a', 'b'])
  expect(world.reads.slice(2)).toEqual([['a', 'b']])
})

test('a ring during a read leads to another read', async () => {
  const world = startWaits()
  const read = Promise.withResolvers<void>()
  world.hold = read.promise
  const waiting = world.waits.until({ ...adasChat, id: 'a' }, never)
  await expect.poll(() => world.reads.length === 1).toBeTruthy()
  world.rows.add('a')
  world.signals.ring(adasChat)
  read.resolve()
  expect(await waiting).toBe('a')
})

test('after a read that failed, the next one finds it', async () => {
  const world = startWaits()
  world.hold = Promise.reject(new Error('The store is down.'))
  const waiting = world.waits.until({ ...adasChat, id: 'a' }, never)
  await expect.poll(() => world.failures.length === 1).toBeTruthy()
  expect(await promiseState(waiting)).toEqual(unsettled)
  world.hold = undefined
  world.rows.add('a')
  world.signals.ring(adasChat)
  expect(await waiting).toBe('a')
})

test('whoever leaves gets nothing, and nobody reads for them any more', async () => {
  const world = startWaits()
  const leaving = new AbortController()
  const waiting = world.waits.until({ ...adasChat, id: 'a' }, leaving.signal)
  await expect.poll(() => world.reads.length === 1).toBeTruthy()
  leaving.abort()
  expect(await waiting).toBeUndefined()
  world.signals.ring(adasChat)
  expect(await world.waits.until({ ...adasChat, id: 'b' }, leaving.signal)).toBeUndefined()
  expect(world.reads).toEqual([['a']])
})

/** Waits for ids. An id is found when it is among the rows as they were when the read began. */
function startWaits() {
  const signals = createSignals()
  const rows = new Set<string>()
  const reads: string[][] = []
  const failures: unknown[] = []
  const held: { hold?: Promise<void> | undefined } = {}
  const waits = new RowWaits<typeof adasChat & { readonly id: string }, string>({
    signals,
    async read(wanted) {
      reads.push(wanted.map(({ id }) => id))
      const seen = new Set(rows)
      await held.hold
      return new Map(wanted.filter(({ id }) => seen.has(id)).map(each => [each, each.id]))
    },
    onFailure: error => failures.push(error),
  })
  return Object.assign(held, { signals, rows, reads, failures, waits })
}
