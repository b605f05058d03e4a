import type { ModelUsage, Usage } from '@throughline/protocol/metadata'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Cached input; without it, cached input costs as much as other input. */
  readonly cachedInput?: number
}

/** By model, as in the usage: `provider:model`. */
export type Prices = Readonly<Record<string, Price>>

export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
}

/** Adds up what an agent used, its sub-agents included. */
export class UsageLedger {
  readonly #prices: Prices
  readonly #onAdd: (model: string, counts: TokenCounts) => void
  readonly #byModel = new Map<string, ModelUsage>()

  /** `onAdd` hears of everything that is added. */
  constructor(prices: Prices, onAdd: (model: string, counts: TokenCounts) => void = () => undefined) {
    this.#prices = prices
    this.#onAdd = onAdd
  }

  /** A sub-agent's own ledger: what is added to it is added here as well. */
  child(): UsageLedger {
    return new UsageLedger(this.#prices, (model, counts) => this.add(model, counts))
  }

  add(model: string, counts: TokenCounts): void {
    const before = this.#byModel.get(model)
    const cost = this.#cost(model, counts)
    this.#byModel.set(model, {
      ...sum(before, counts),
      calls: (before?.calls ?? 0) + 1,
      ...(cost === undefined ? {} : { cost: (before?.cost ?? 0) + cost }),
    })
    this.#onAdd(model, counts)
  }

  get totalTokens(): number {
    return [...this.#byModel.values()].reduce((total, { totalTokens }) => total + totalTokens, 0)
  }

  /** Everything so far; `undefined` when no model was called. A cost is given only when every price is known. */
  total(): Usage | undefined {
    const models = [...this.#byModel.values()]
    const [first, ...rest] = models
    if (first === undefined) return undefined
    const {
      calls: _,
      cost: __,
      ...counts
    } = rest.reduce((total, each) => ({ ...sum(total, each), calls: 0 }), first)
    const isPriced = models.every(({ cost }) => cost !== undefined)
    return {
      ...counts,
      byModel: Object.fromEntries(this.#byModel),
      ...(isPriced ? { cost: models.reduce((total, { cost = 0 }) => total + cost, 0) } : {}),
    }
  }

  #cost(
    model: string,
    { inputTokens, outputTokens, cachedInputTokens = 0 }: TokenCounts,
  ): number | undefined {
    const price = Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined
    if (price === undefined) return undefined
    const { input, output, cachedInput = input } = price
    return (
      ((inputTokens - cachedInputTokens) * input + cachedInputTokens * cachedInput + outputTokens * output) /
      1_000_000
    )
  }
}

function sum(before: TokenCounts | undefined, added: TokenCounts): TokenCounts {
  return {
    inputTokens: (before?.inputTokens ?? 0) + added.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + added.outputTokens,
    totalTokens: (before?.totalTokens ?? 0) + added.totalTokens,
    ...optional('reasoningTokens', before, added),
    ...optional('cachedInputTokens', before, added),
  }
}

function optional(
  name: 'reasoningTokens' | 'cachedInputTokens',
  before: TokenCounts | undefined,
  added: TokenCounts,
) {
  if (before?.[name] === undefined && added[name] === undefined) return {}
  return { [name]: (before?.[name] ?? 0) + (added[name] ?? 0) }
}
