import { expect, test } from 'vitest'
import { inTime } from '../waits/in-time.ts'
import { appendAtEnd } from './append-at-end.ts'
import type { CreateLogStore } from './create-log-store.ts'
import { endDraft, testLog } from './log-drafts.ts'

const log = testLog('chat')

/**
 * Listeners are called after each append, and when their log is removed. A listener that throws does not disturb the
 * store or other listeners.
 */
export function bellTests(create: CreateLogStore): void {
  test('the bell rings when the entries can be read', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const read = Promise.withResolvers<number>()
    store.onAppend(log, () => read.resolve(store.read(log, lease.head, 10).then(({ length }) => length)))
    await appendAtEnd(store, lease, [endDraft, endDraft])
    expect(await inTime('the bell has rung', read.promise)).toBe(2)
  })

  test('the bell rings at every append and at the removal of its own log, and not for others', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const other = await store.acquire(testLog('other'))
    let rings = 0
    store.onAppend(log, () => {
      rings += 1
    })
    await appendAtEnd(store, lease, [endDraft])
    await appendAtEnd(store, lease, [endDraft, endDraft])
    expect(rings).toBe(2)
    await appendAtEnd(store, other, [endDraft])
    await store.remove(other.log)
    expect(rings).toBe(2)
    await store.remove(log)
    expect(rings).toBe(3)
  })

  test('an append that is refused does not ring', async () => {
    await using context = await create()
    const { store } = context
    const old = await store.acquire(log)
    await store.acquire(log)
    let rings = 0
    store.onAppend(log, () => {
      rings += 1
    })
    await expect(appendAtEnd(store, old, [endDraft])).rejects.toMatchObject({ code: 'fenced' })
    expect(rings).toBe(0)
  })

  test('one function that listens twice is two listeners, and each stops by itself', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    let rings = 0
    const ring = () => {
      rings += 1
    }
    const unlistens = [store.onAppend(log, ring), store.onAppend(log, ring)]
    const ringsPerAppend: number[] = []
    for (const unlisten of [() => {}, ...unlistens]) {
      unlisten()
      unlisten()
      const before = rings
      await appendAtEnd(store, lease, [endDraft])
      ringsPerAppend.push(rings - before)
    }
    expect(ringsPerAppend).toEqual([2, 1, 0])
  })

  test('a listener may stop, start and throw while it is rung: the append and the others do not notice', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const rung: string[] = []
    const listen = (name: string, then: () => void) =>
      store.onAppend(log, () => {
        rung.push(name)
        then()
      })
    listen('thrower', () => {
      throw new Error('a listener of its own making')
    })
    const stop = listen('stopper', () => stop())
    const restart = (): (() => void) => {
      const unlisten = listen('restarter', () => {
        unlisten()
        restart()
      })
      return unlisten
    }
    restart()
    const stopLast = listen('silencer', () => unheard())
    const unheard = listen('unheard', () => {})
    expect(await appendAtEnd(store, lease, [endDraft])).toHaveLength(1)
    expect(rung).toEqual(['thrower', 'stopper', 'restarter', 'silencer'])
    stopLast()
    rung.length = 0
    expect(await appendAtEnd(store, lease, [endDraft])).toHaveLength(1)
    expect(rung).toEqual(['thrower', 'restarter'])
  })
}
