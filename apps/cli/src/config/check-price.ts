import type { Price, Rates } from '@throughline/agents'
import { anything, assertOptions, type Check, type ChecksOf, refuse, wholeNumber } from './checks.ts'

/** Throws a `SettingError` unless the value is a price, and the key is the name of a model. */
export function assertPrice(model: string, price: unknown): void {
  const where = `prices[${JSON.stringify(model)}]`
  if (!/^[^:]+:.+$/.test(model))
    refuse(where, 'the key of a price is "provider:model", such as "openai:gpt-5.6"')
  assertRates(where, price, priceChecks)
  const { long, later } = price
  if (long !== undefined) assertRates(`${where}.long`, long, longChecks)
  if (later !== undefined) assertRates(`${where}.later`, later, laterChecks)
}

const dollars: Check = value =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'a number that is not negative'

const rates: ChecksOf<Rates> = { input: dollars, output: dollars, cachedInput: dollars }

const priceChecks: ChecksOf<Price> = { ...rates, long: anything, later: anything }

const longChecks: ChecksOf<NonNullable<Price['long']>> = { ...rates, aboveInputTokens: wholeNumber(1) }

const laterChecks: ChecksOf<NonNullable<Price['later']>> = {
  ...rates,
  from: value =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : 'a day such as "2026-12-01"',
}

function assertRates(
  where: string,
  given: unknown,
  checks: Readonly<Record<string, Check>>,
): asserts given is Readonly<Record<string, unknown>> {
  assertOptions(where, given, checks)
  for (const each of ['input', 'output', 'aboveInputTokens', 'from'])
    if (each in checks && given[each] === undefined)
      refuse(where, `it needs ${JSON.stringify(each)}; rates are US dollars per million tokens`)
}
