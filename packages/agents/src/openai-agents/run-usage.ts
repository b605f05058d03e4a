import type { TokenCounts } from '../agent-event.ts'
import { readCounts } from './model-response.ts'

export interface RunUsageOptions {
  readonly countUsage: (model: string, counts: TokenCounts) => void
  /** The model that everything is counted for. By default each call is counted for the model that it names. */
  readonly model?: string | undefined
}

/** Counts the tokens of one run. */
export class RunUsage {
  readonly #options: RunUsageOptions
  #counted = { inputTokens: 0, outputTokens: 0 }

  constructor(options: RunUsageOptions) {
    this.#options = options
  }

  /** Counts one model call. */
  add(counts: TokenCounts, model = 'unknown'): void {
    this.#counted = {
      inputTokens: this.#counted.inputTokens + counts.inputTokens,
      outputTokens: this.#counted.outputTokens + counts.outputTokens,
    }
    this.#options.countUsage(this.#options.model ?? model, counts)
  }

  /**
   * Counts what is in the run's total and has not been counted: a model call that failed, and the model calls of agents that
   * work as tools. The total does not say which models these used.
   */
  addRest(total: unknown, model: string | undefined): void {
    const { inputTokens = 0, outputTokens = 0 } = readCounts(total) ?? {}
    const input = Math.max(0, inputTokens - this.#counted.inputTokens)
    const output = Math.max(0, outputTokens - this.#counted.outputTokens)
    if (input + output === 0) return
    this.add({ inputTokens: input, outputTokens: output, totalTokens: input + output }, model)
  }
}
