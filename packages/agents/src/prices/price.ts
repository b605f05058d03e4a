/** What tokens cost, in US dollars per million tokens. */
export interface Rates {
  /** For input tokens. */
  readonly input: number
  /** For output tokens. */
  readonly output: number
  /** For input tokens that the provider had in its cache. Default: the same as `input`. */
  readonly cachedInput?: number
}

/** The price of a model. */
export interface Price extends Rates {
  /** The rates of a whole call whose input has more tokens than this. */
  readonly long?: Rates & { readonly aboveInputTokens: number }
  /** The rates from a day on, such as `2026-12-01` (UTC). */
  readonly later?: Rates & { readonly from: string }
}

/** The prices of models. The key is the model's name as in the usage: `provider:model`. */
export type Prices = Readonly<Record<string, Price>>

/** What one call of a model used. */
export interface PricedCall {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number | undefined
}

/** Returns what one call costs, in US dollars; `null` when there is no price for its model. */
export function costOf(
  price: Price | undefined,
  { inputTokens, outputTokens, cachedInputTokens = 0 }: PricedCall,
  at: Date,
): number | null {
  if (price === undefined) return null
  const { input, output, cachedInput = input } = ratesOf(price, inputTokens, at)
  const dollars =
    (inputTokens - cachedInputTokens) * input + cachedInputTokens * cachedInput + outputTokens * output
  return dollars / 1_000_000
}

/** Finds a model's price. A snapshot of a model, such as `gpt-5-2025-08-07`, has the model's price. */
export function priceOf(prices: Prices, model: string): Price | undefined {
  const name = [model, model.replace(snapshotDate, '')].find(each => Object.hasOwn(prices, each))
  return name === undefined ? undefined : prices[name]
}

const snapshotDate = /-(\d{8}|\d{4}-\d{2}-\d{2})$/

function ratesOf(price: Price, inputTokens: number, at: Date): Rates {
  const { later, long } = price
  if (later !== undefined && at >= new Date(later.from)) return later
  return long !== undefined && inputTokens > long.aboveInputTokens ? long : price
}
