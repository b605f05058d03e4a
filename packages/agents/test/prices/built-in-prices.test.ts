import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { builtInPrices } from '../../src/prices/built-in-prices.ts'
import { costOf, priceOf } from '../../src/prices/price.ts'

const million = 1_000_000
const day = new Date('2026-11-15')

test.each(['openai', 'anthropic', 'google'])('there are prices of current models of %s', provider => {
  const names = Object.keys(builtInPrices).filter(name => name.startsWith(`${provider}:`))
  expect(names.length).toBeGreaterThan(5)
})

test('every price is above nothing, output costs more than input, and cached input less', () => {
  for (const [name, price] of Object.entries(builtInPrices))
    for (const { input, output, cachedInput = 0 } of [price, price.long ?? price, price.later ?? price]) {
      expect(cachedInput, name).toBeGreaterThan(0)
      expect(cachedInput, name).toBeLessThan(input)
      expect(output, name).toBeGreaterThan(input)
    }
})

test.each([
  ['openai:gpt-5', 'openai:gpt-5-2025-08-07'],
  ['anthropic:claude-haiku-4-5', 'anthropic:claude-haiku-4-5-20251001'],
])('a dated snapshot of %s has its price', (name, snapshot) => {
  expect(priceOf(builtInPrices, snapshot)).toBe(builtInPrices[name])
})

test('a snapshot can have a price of its own, and one that looks like a date is not cut off twice', () => {
  const own = { input: 1, output: 1 }
  expect(priceOf({ 'a:b': { input: 2, output: 2 }, 'a:b-20260101': own }, 'a:b-20260101')).toBe(own)
  expect(priceOf({ 'a:b': own }, 'a:b-20260101-20260102')).toBeUndefined()
})

test.each(['openai-compatible:gpt-5', 'openai:gpt-unheard-of', 'constructor'])(
  'the price of %s is not known',
  name => {
    const call = { inputTokens: million, outputTokens: million }
    expect(costOf(priceOf(builtInPrices, name), call, day)).toBeNull()
  },
)

test('the document names a day and every model', async () => {
  const path = fileURLToPath(new URL('../../../../docs/guides/prices.md', import.meta.url))
  const text = await readFile(path, 'utf8')
  expect(text).toMatch(/\*\*As of \d{4}-\d{2}-\d{2}\.\*\*/)
  for (const [name, { input, cachedInput, output }] of Object.entries(builtInPrices))
    expect(text).toContain(`| \`${name}\` | ${input} | ${cachedInput} | ${output} |`)
})
