import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TokenCounts } from '../../src/agent/agent-event.ts'
import { UsageLedger } from '../../src/run/usage-ledger.ts'

const prices = {
  'test:dear': { input: 10, output: 100, cachedInput: 1 },
  'test:cheap': { input: 1, output: 2 },
}
const million = 1_000_000

test('nothing was used when nothing was added', () => {
  expect(new UsageLedger(prices).total()).toBeUndefined()
})

test('what is added for a sub-agent is added for its callers too, and to nobody else', () => {
  const master = new UsageLedger({})
  const [subAgent, sibling] = [master.forSubAgent(), master.forSubAgent()]
  subAgent.forSubAgent().addToStep('m', counts(1, 2))
  sibling.addToStep('m', counts(10, 20))
  master.addToStep('m', counts(100, 200))
  expect(subAgent.total()).toMatchObject({ inputTokens: 1, outputTokens: 2, totalTokens: 3 })
  expect(sibling.total()).toMatchObject({ inputTokens: 10, outputTokens: 20, totalTokens: 30 })
  expect(master.total()).toMatchObject({
    inputTokens: 111,
    outputTokens: 222,
    totalTokens: 333,
    byModel: { m: { calls: 3 } },
  })
})

test('a step has its own model calls, and neither those of sub-agents nor those of other steps', () => {
  const master = new UsageLedger(prices)
  master.addToStep('test:cheap', counts(million, 0))
  master.addToStep('test:cheap', counts(0, million))
  master.forSubAgent().addToStep('test:dear', counts(million, million))
  const first = { model: 'test:cheap', inputTokens: million, outputTokens: million, cost: 3 }
  expect(master.endStep()).toMatchObject(first)
  expect(master.endStep()).toBeUndefined()
  const told = { model: 'test:dear', ...counts(million, 0) }
  expect(master.endStep(told)).toEqual({ ...told, cost: 10 })
})

test('prices are per million tokens, and cached input has its own', () => {
  const ledger = new UsageLedger(prices)
  ledger.addToStep('test:dear', { ...counts(2 * million, million), cachedInputTokens: million })
  ledger.addToStep('test:cheap', { ...counts(2 * million, million), cachedInputTokens: million })
  expect(ledger.total()).toMatchObject({
    cost: 10 + 1 + 100 + (2 + 2),
    byModel: { 'test:dear': { cost: 111 }, 'test:cheap': { cost: 4 } },
  })
})

test.each(['test:free', 'constructor', '__proto__'])(
  'with a model without a price, such as %s, the cost is not known',
  model => {
    const ledger = new UsageLedger(prices)
    ledger.addToStep('test:cheap', counts(million, 0))
    ledger.addToStep(model, counts(1, 1))
    const total = ledger.total()
    expect(total?.cost).toBeNull()
    expect(total?.byModel?.['test:cheap']?.cost).toBe(1)
    expect(Object.keys(total?.byModel ?? {})).toEqual(['test:cheap', model])
    expect(total?.byModel?.[model]?.cost).toBeNull()
  },
)

test('a call is priced by its own input and at its own time', () => {
  const rising = {
    'test:rising': {
      input: 1,
      output: 1,
      long: { aboveInputTokens: million, input: 3, output: 3 },
      later: { from: '2026-12-01', input: 10, output: 10 },
    },
  }
  let day = '2026-11-30T23:59:59Z'
  const ledger = new UsageLedger(rising, undefined, () => new Date(day))
  ledger.addToStep('test:rising', counts(million, 0))
  ledger.forSubAgent().addToStep('test:rising', counts(2 * million, 0))
  day = '2026-12-01T00:00:00Z'
  ledger.forSubAgent().addToStep('test:rising', counts(million, 0))
  expect(ledger.total()?.cost).toBe(1 + 2 * 3 + 10)
})

test('details are there only when a model told them', () => {
  const ledger = new UsageLedger({})
  ledger.addToStep('a', counts(1, 1))
  expect(ledger.total()).not.toHaveProperty('reasoningTokens')
  ledger.addToStep('b', { ...counts(1, 1), reasoningTokens: 3 })
  expect(ledger.total()).toMatchObject({ reasoningTokens: 3 })
  expect(ledger.total()).not.toHaveProperty('cachedInputTokens')
})

test('the total is the sum over models, in whatever order they were used', () => {
  const use = fc.tuple(fc.constantFrom('a', 'b', 'test:cheap'), fc.nat(1000), fc.nat(1000), fc.boolean())
  fc.assert(
    fc.property(fc.array(use, { minLength: 1 }), uses => {
      const ledger = new UsageLedger(prices)
      const subAgent = ledger.forSubAgent()
      for (const [model, input, output, isSubAgent] of uses)
        (isSubAgent ? subAgent : ledger).addToStep(model, counts(input, output))
      const total = ledger.total()
      const models = Object.values(total?.byModel ?? {})
      const sum = (of: (model: (typeof models)[number]) => number) =>
        models.reduce((all, each) => all + of(each), 0)
      expect(total?.inputTokens).toBe(uses.reduce((all, [, input]) => all + input, 0))
      expect(total?.totalTokens).toBe(ledger.totalTokens)
      expect(sum(each => each.totalTokens)).toBe(total?.totalTokens)
      expect(sum(each => each.calls)).toBe(uses.length)
    }),
  )
})

function counts(inputTokens: number, outputTokens: number): TokenCounts {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}
