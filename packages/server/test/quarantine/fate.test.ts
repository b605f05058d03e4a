import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fateOf, probationMs, type Suspicion } from '../../src/recovery/fate.ts'

const maxDeaths = 5
const none: Suspicion = { deaths: 0, hasDiedInside: false, wasAlone: false, isStopRequested: false }

test('after one death a run goes on, and after two it waits: others may have been the reason', () => {
  expect(fateOf(none, { maxDeaths })).toBe('goes-on')
  expect(fateOf({ ...none, deaths: 1 }, { maxDeaths })).toBe('goes-on')
  expect(fateOf({ ...none, deaths: 2 }, { maxDeaths })).toBe('waits')
  expect(fateOf({ ...none, deaths: 4 }, { maxDeaths })).toBe('waits')
})

test('a run that dies inside the quarantine ends if it was alone, otherwise at its fourth death', () => {
  const inside = { ...none, deaths: 3, hasDiedInside: true }
  expect(fateOf({ ...inside, wasAlone: true }, { maxDeaths })).toBe('ends')
  expect(fateOf(inside, { maxDeaths })).toBe('waits')
  expect(fateOf({ ...inside, deaths: 4 }, { maxDeaths })).toBe('ends')
})

test('whatever else is known, a run ends when it has died too often', () => {
  const suspicion = fc.record({
    deaths: fc.nat(20),
    hasDiedInside: fc.boolean(),
    wasAlone: fc.boolean(),
    isStopRequested: fc.constant(false),
  })
  fc.assert(
    fc.property(suspicion, fc.integer({ min: 1, max: 10 }), (known, max) => {
      const fate = fateOf(known, { maxDeaths: max })
      if (known.deaths >= max) expect(fate).toBe('ends')
      else if (!known.hasDiedInside) expect(fate).not.toBe('ends')
    }),
  )
})

test('a run whose end was asked for never waits', () => {
  expect(fateOf({ ...none, deaths: 4, isStopRequested: true }, { maxDeaths })).toBe('goes-on')
})

test('a run that always kills its node after the same time ends at its fifth death at the latest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_600_000 }), afterMs => {
      let deaths = 0
      let fate = fateOf(none, { maxDeaths })
      while (fate !== 'ends') {
        const hasDiedInside = fate === 'waits' && afterMs < probationMs(deaths)
        deaths += 1
        fate = fateOf({ ...none, deaths, hasDiedInside, wasAlone: hasDiedInside }, { maxDeaths })
      }
      expect(deaths).toBeLessThanOrEqual(afterMs < 50_000 ? 4 : 5)
      if (afterMs < 25_000) expect(deaths).toBe(3)
    }),
  )
})
