import type { ModelUsage, StepUsage, Usage } from '@throughline/protocol'
import type { TokenCounts } from '../agent/agent-event.ts'
import { costOf, type Prices, priceOf } from '../prices/price.ts'

/** Adds up the usage of an agent and its sub-agents. */
export class UsageLedger {
  readonly #prices: Prices
  readonly #onAdd: (model: string, counts: TokenCounts) => void
  readonly #now: () => Date
  readonly #byModel = new Map<string, ModelUsage>()
  /** What the agent's own model calls have used since the last step ended. */
  #step: StepUsage | undefined

  /** `onAdd` is called after each addition. */
  constructor(
    prices: Prices,
    onAdd: (model: string, counts: TokenCounts) => void = () => undefined,
    now: () => Date = () => new Date(),
  ) {
    this.#prices = prices
    this.#onAdd = onAdd
    this.#now = now
  }

  /** Begins with what an earlier attempt of the run has used. */
  restore({ byModel = {} }: Usage): void {
    for (const [model, usage] of Object.entries(byModel)) this.#byModel.set(model, usage)
  }

  /**
   * Returns a ledger for a sub-agent. What is added to it is added to this one, too. `earlier` is what the sub-agent used
   * before its process died. This ledger has it already.
   */
  forSubAgent(earlier: readonly StepUsage[] = []): UsageLedger {
    const ledger = new UsageLedger(this.#prices, (model, counts) => this.addToTotal(model, counts), this.#now)
    for (const { model, cost: _, ...counts } of earlier) ledger.#sumUp(model, counts)
    return ledger
  }

  /** Adds the usage of one model call to the open step, and to the total. `model` has the form `provider:model`. */
  addToStep(model: string, counts: TokenCounts): void {
    const before = this.#step
    const cost = this.#costOf(model, counts)
    this.#step = {
      model,
      ...sum(before, counts),
      cost: before === undefined ? cost : costSum([before.cost, cost]),
    }
    this.addToTotal(model, counts)
  }

  /**
   * Ends the step. Returns what it has used, without sub-agents; `undefined` when that is not known. `reported` is what the
   * agent itself says about the step; it is not added here.
   */
  endStep(reported?: StepUsage | undefined): StepUsage | undefined {
    const step =
      reported === undefined ? this.#step : { ...reported, cost: this.#costOf(reported.model, reported) }
    this.#step = undefined
    return step
  }

  /** Adds the usage of a model call to the total alone: the call is not part of the open step. */
  addToTotal(model: string, counts: TokenCounts): void {
    this.#sumUp(model, counts)
    this.#onAdd(model, counts)
  }

  #sumUp(model: string, counts: TokenCounts): void {
    const before = this.#byModel.get(model)
    const cost = this.#costOf(model, counts)
    this.#byModel.set(model, {
      ...sum(before, counts),
      calls: (before?.calls ?? 0) + 1,
      cost: before === undefined ? cost : costSum([before.cost, cost]),
    })
  }

  #costOf(model: string, counts: TokenCounts): number | null {
    return costOf(priceOf(this.#prices, model), counts, this.#now())
  }

  get totalTokens(): number {
    return [...this.#byModel.values()].reduce((total, { totalTokens }) => total + totalTokens, 0)
  }

  /** Returns the sum so far; `undefined` when no model was called. The cost is `null` unless every price is known. */
  total(): Usage | undefined {
    const models = [...this.#byModel.values()]
    const [first, ...rest] = models
    if (first === undefined) return undefined
    const {
      calls: _,
      cost: __,
      ...counts
    } = rest.reduce((total, each) => ({ ...sum(total, each), calls: 0 }), first)
    return {
      ...counts,
      byModel: Object.fromEntries(this.#byModel),
      cost: costSum(models.map(({ cost }) => cost)),
    }
  }
}

/** Returns `null` when one of the costs is not known. */
function costSum(costs: readonly (number | null | undefined)[]): number | null {
  return costs.reduce<number | null>(
    (total, cost) => (total === null || cost == null ? null : total + cost),
    0,
  )
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
