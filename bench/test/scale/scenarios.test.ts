import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import type { PostgresServer } from '@throughline/testing/postgres/postgres-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Section } from '../../src/report.ts'
import { measureAppend } from '../../src/scale/scenarios/append.ts'
import { measureBell } from '../../src/scale/scenarios/bell.ts'
import { measureNodes } from '../../src/scale/scenarios/nodes.ts'
import { measureTakeover } from '../../src/scale/scenarios/takeover.ts'

// Each scenario in a tiny size, on a real Postgres. They mostly wait, so they run at the same time. Only what does not depend on the
// speed of the machine is asserted.
let postgres: PostgresServer

// Each of them starts many processes, and a takeover takes up to 20 seconds.
vi.setConfig({ testTimeout: 180_000 })

beforeAll(async () => {
  postgres = await findPostgres()
})

afterAll(async () => {
  await postgres[Symbol.asyncDispose]()
})

test.concurrent('append: our log and plain inserts write rows in turns', async () => {
  const size = { logs: [5, 1_000], seconds: 0.2, rounds: 2 }
  const { figures, section } = await measureAppend({ serverUrl: postgres.url, ...size })
  expect(figures).toMatchObject([
    { logs: 5, rounds: [{}, {}] },
    { logs: 1_000, rounds: [{}, {}] },
  ])
  for (const { ours, callers, loops } of figures.flatMap(({ rounds }) => rounds))
    for (const rate of [ours, callers, loops]) expect(rate).toBeGreaterThan(0)
  expect(goalsOf(section)).toEqual([{ atLeast: 0.65 }])
})

test.concurrent('bell: a follower in another process gets every entry', async () => {
  const { figures, section } = await measureBell({ serverUrl: postgres.url, seconds: 0.5, rounds: 1 })
  expect(figures.bell.figures).toMatchObject({ entries: 25 })
  expect(figures.bell.figures.p99Ms).toBeGreaterThan(0)
  for (const { figures: seen } of Object.values(figures.sockets))
    expect(seen).toMatchObject({ deltas: 10, delivered: 10, lost: 0, doubled: 0, late: 0 })
  expect(goalsOf(section)).toEqual([{ atMost: 5 }, { atMost: 20 }])
})

test.concurrent('nodes: every delta of every run reaches its viewer on another node once', async () => {
  const size = { runs: 6, perSecond: 20, seconds: 1, rounds: 1 }
  const { figures, section } = await measureNodes({ serverUrl: postgres.url, ...size })
  const everything = { deltas: 120, delivered: 120, lost: 0, doubled: 0, late: 0 }
  expect(figures.three.figures).toMatchObject({ nodes: 3, ...everything })
  expect(figures.one.figures).toMatchObject({ nodes: 1, ...everything })
  expect(goalsOf(section)).toEqual([{ atMost: 100 }, { atMost: 0 }])
})

test.concurrent('takeover: the runs of a killed node go on, and their viewers get every delta once', async () => {
  const { figures, section } = await measureTakeover({ serverUrl: postgres.url, kills: 1, runs: 2 })
  expect(figures).toMatchObject({ kills: 1, runs: 2, continued: 2, lost: 0, doubled: 0, late: 0 })
  expect(figures.takenMs).toHaveLength(2)
  expect(goalsOf(section)).toContainEqual({ atMost: 20 })
})

function goalsOf({ measurements }: Section) {
  return measurements.flatMap(({ goal }) => (goal === undefined ? [] : [goal]))
}
