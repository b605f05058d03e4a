import { expect, test } from 'vitest'
import { measureAppend } from '../../src/load/scenarios/append.ts'
import { measureCommand } from '../../src/load/scenarios/command.ts'
import { measureFanOut } from '../../src/load/scenarios/fan-out.ts'
import { measureFirstText } from '../../src/load/scenarios/first-text.ts'
import { measureKnee } from '../../src/load/scenarios/knee.ts'
import { measurePaced } from '../../src/load/scenarios/paced.ts'
import { measureProvider } from '../../src/load/scenarios/provider.ts'
import { measureReaders } from '../../src/load/scenarios/readers.ts'
import { measureSoak } from '../../src/load/scenarios/soak.ts'
import { measureStalled } from '../../src/load/scenarios/stalled.ts'
import { measureStorm } from '../../src/load/scenarios/storm.ts'
import type { Section } from '../../src/report.ts'

// Each scenario in a tiny size. They mostly wait, so they run at the same time. Only what does not
// depend on the speed of the machine is asserted.
const nothingWrong = { lost: 0, doubled: 0, late: 0 }

test.concurrent('paced: the three servers deliver everything, so their costs can be compared', async () => {
  const { rounds, section } = await measurePaced({ seconds: 0.5, rounds: 1, chats: 2 })
  expect(rounds).toHaveLength(1)
  expect(goalsOf(section)).toEqual([{ atMost: 1.2 }, { atMost: 1.2 }])
})

test.concurrent('provider: every delta of a model behind HTTP reaches its viewer once', async () => {
  const { figures, section } = await measureProvider({ runs: 2, seconds: 1, rounds: 1 })
  expect(figures).toMatchObject({ deltas: 40, delivered: 40, ...nothingWrong })
  expect(goalsOf(section)).toContainEqual({ atMost: 150 })
})

test.concurrent('command: every delta of a plain agent of the command reaches its viewer once', async () => {
  const { figures, section } = await measureCommand({ runs: 2, seconds: 1, rounds: 1 })
  expect(figures).toMatchObject({ deltas: 40, delivered: 40, ...nothingWrong })
  expect(goalsOf(section)).toContainEqual({ atMost: 200 })
})

test.concurrent('knee: each way to run a model delivers every delta once', async () => {
  const ways = ['streamText', 'main', 'thread'] as const
  const { figures } = await measureKnee({ ways, from: 2, to: 2, seconds: 1 })
  expect(figures.map(({ way }) => way)).toEqual(ways)
  for (const { tried } of figures) expect(tried).toMatchObject([{ runs: 2, delivered: 40, ...nothingWrong }])
})

test.concurrent('fan-out: every viewer of one run gets every delta once', async () => {
  const { figures, section } = await measureFanOut({ viewers: 3, seconds: 1 })
  expect(figures).toMatchObject({ deltas: 150, delivered: 150, ...nothingWrong })
  expect(goalsOf(section)).toContainEqual({ atMost: 150 })
})

test.concurrent('stalled: viewers that do not read keep nobody from reading', async () => {
  const { figures, section } = await measureStalled({ viewers: 2, answerBytes: 100_000, settleMs: 100 })
  expect(figures).toMatchObject({ viewers: 2, ...nothingWrong })
  expect(goalsOf(section)).toContainEqual({ atMost: 150 })
})

test.concurrent('storm: viewers that are cut and come back get every delta once, and every run can be stopped', async () => {
  const { figures } = await measureStorm({ resumed: 3, stopped: 2, seconds: 1 })
  expect(figures).toMatchObject(nothingWrong)
  expect(figures.resumeP99Ms).toBeGreaterThan(0)
  expect(figures.stopP99Ms).toBeGreaterThan(0)
})

test.concurrent('soak: memory is sampled once per second, and every delta arrives once', async () => {
  const { figures, section } = await measureSoak({ minutes: 0.05, runsPerSecond: 1, runSeconds: 1 })
  expect(figures).toMatchObject(nothingWrong)
  expect(figures.rssBytes).toHaveLength(3)
  expect(goalsOf(section)).toContainEqual({ atMost: 1.5 })
})

test.concurrent('first text: a long chat and a short one are asked in turns', async () => {
  const { rounds, section } = await measureFirstText({ longChat: 20, shortChat: 4, rounds: 2 })
  expect(rounds).toHaveLength(2)
  expect(goalsOf(section)).toEqual([{ atMost: 1.5 }])
})

test.concurrent('readers: others get all their deltas while a long chat is read', async () => {
  const size = { readers: 2, messages: 20, chars: 100, runs: 2, seconds: 3 }
  const { figures, section } = await measureReaders(size)
  expect(figures.reads).toBe(2)
  expect(figures.beside).toMatchObject({ delivered: figures.beside.deltas, lost: 0, doubled: 0 })
  expect(goalsOf(section)).toEqual([{ atMost: 150 }, { atMost: 0 }])
})

test.concurrent('append: the same appends go to the store and to the earlier layout', async () => {
  const { figures, section } = await measureAppend({ flows: [{ logs: 5, perSecond: 20 }], seconds: 0.2 })
  expect(figures.pairs).toMatchObject([{ logs: 5, perSecond: 20 }])
  for (const { ours, earlier } of figures.pairs) {
    expect(ours.cpuUs).toBeGreaterThan(0)
    expect(earlier.cpuUs).toBeGreaterThan(0)
  }
  expect(goalsOf(section)).toContainEqual({ atLeast: 5 })
})

function goalsOf({ measurements }: Section) {
  return measurements.flatMap(({ goal }) => (goal === undefined ? [] : [goal]))
}
