import { createMemoryLogStore, follow, type LogStore } from '@throughline/log'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { expect, test } from 'vitest'
import { LogProbe, measuredLog } from '../../src/metrics/log-probe.ts'
import { Tally } from '../../src/metrics/tally.ts'

const name = testLog('chat')

test('the lag ends when the follower has passed the entry on, and the bell when it rings', async () => {
  const world = await openWorld()
  const pages = world.follow()
  const first = pages.next()
  await world.untilWaiting()
  await appendAtEnd(world.log, world.lease, [textDraft('One.')])
  expect((await first).value).toHaveLength(1)
  expect(world.bells).toEqual([0])
  // The follower is slow to pass it on.
  world.clock.now += 250
  const second = pages.next()
  await expect.poll(() => world.lags).toEqual([0.25])
  await appendAtEnd(world.log, world.lease, [textDraft('Two.')])
  await second
})

test('entries that were there before the follower came are not measured', async () => {
  const world = await openWorld()
  await appendAtEnd(world.log, world.lease, [textDraft('One.'), textDraft('Two.')])
  world.clock.now += 60_000
  const pages = world.follow()
  await pages.next()
  void pages.next()
  await world.untilWaiting()
  expect(world).toMatchObject({ lags: [], bells: [] })
})

test('the clock of another node may be ahead: then no time has passed', async () => {
  const world = await openWorld()
  const pages = world.follow()
  const first = pages.next()
  await world.untilWaiting()
  world.clock.ahead = 5_000
  await appendAtEnd(world.log, world.lease, [textDraft('One.')])
  await first
  void pages.next()
  await expect.poll(() => world.lags).toEqual([0])
  expect(world.bells).toEqual([0])
})

test('at most 16 logs are watched at a time, and no listener is left behind', async () => {
  const world = await openWorld()
  for (let count = 0; count < 40; count += 1) {
    world.clock.now += 1_000
    const log = testLog(`chat-${count}`)
    const after = await world.log.open(log)
    await world.log.read(log, after, 10)
    expect(world.listening()).toBeLessThanOrEqual(16)
  }
  expect(world.listening()).toBe(16)
})

test('of the appends of one turn of the event loop one is timed, and all are counted', async () => {
  const times: number[] = []
  const tally = new Tally(seconds => times.push(seconds))
  const { promise, resolve } = Promise.withResolvers<void>()
  tally.count(promise, 3)
  tally.count(promise, 4)
  expect(tally).toMatchObject({ waiting: 2, entries: 0 })
  resolve()
  await promise
  expect(tally).toMatchObject({ waiting: 0, entries: 7, failed: 0 })
  expect(times).toHaveLength(1)
  const failing = Promise.reject(new Error('The disk is full.'))
  tally.count(failing, 5)
  await expect(failing).rejects.toThrow()
  expect(tally).toMatchObject({ waiting: 0, entries: 7, failed: 1 })
})

/** A log in memory with a probe, and a clock that the test moves. `ahead` is how far the writer's clock is ahead. */
async function openWorld() {
  const clock = { now: 1_000_000, ahead: 0 }
  const lags: number[] = []
  const bells: number[] = []
  const probe = new LogProbe({
    now: () => clock.now,
    onLag: seconds => lags.push(seconds),
    onBell: seconds => bells.push(seconds),
  })
  let listening = 0
  let empty = 0
  const memory = createMemoryLogStore({ now: () => clock.now + clock.ahead })
  const counted: LogStore = {
    ...memory,
    onAppend(log, ring) {
      const unlisten = memory.onAppend(log, ring)
      let isOver = false
      listening += 1
      return () => {
        if (!isOver) listening -= 1
        isOver = true
        unlisten()
      }
    },
    async read(log, after, limit) {
      const page = await memory.read(log, after, limit)
      if (page.length === 0) empty += 1
      return page
    },
  }
  const log = measuredLog(counted, { tally: new Tally(() => undefined), probe })
  const lease = await log.acquire(name)
  const { signal } = new AbortController()
  return {
    clock,
    log,
    lease,
    lags,
    bells,
    listening: () => listening,
    follow: () => follow(log, name, { after: lease.head, signal }),
    async untilWaiting() {
      await expect.poll(() => empty).toBeGreaterThan(0)
    },
  }
}
