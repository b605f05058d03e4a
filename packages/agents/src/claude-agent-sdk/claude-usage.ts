import type { TokenCounts } from '../agent/agent-event.ts'
import { fieldsOf, type UncheckedFields } from '../values/fields.ts'
import { tokenCounts } from '../values/token-counts.ts'

export interface ClaudeUsageOptions {
  readonly countUsage: (model: string, counts: TokenCounts) => void
  readonly isFresh: boolean
}

/** Counts the tokens of one query. */
export class ClaudeUsage {
  readonly #options: ClaudeUsageOptions
  /** The model call that is open, with what is known of its usage so far. */
  #open: { readonly model: string; readonly usage: UncheckedFields } | undefined
  /** Input and output that were counted, by model. */
  readonly #counted = new Map<string, { readonly input: number; readonly output: number }>()

  constructor(options: ClaudeUsageOptions) {
    this.#options = options
  }

  beginCall(message: UncheckedFields): void {
    this.endCall()
    this.#open = { model: modelIn(message), usage: fieldsOf(message['usage']) }
  }

  /** The numbers at the end of a call replace those at its beginning. */
  update(usage: unknown): void {
    if (this.#open === undefined) return
    const given = Object.entries(fieldsOf(usage)).filter(([, value]) => value !== null)
    this.#open = { ...this.#open, usage: { ...this.#open.usage, ...Object.fromEntries(given) } }
  }

  endCall(): void {
    if (this.#open === undefined) return
    const { model, usage } = this.#open
    this.#open = undefined
    this.#add(model, countsOf(usage))
  }

  /**
   * Counts what is in the totals of a new session and has not been counted: what its sub-agents used, and model calls that
   * are not shown, such as for a summary. The totals of a session that goes on contain the answers before, so they are
   * of no use: then `addNested` has to do.
   */
  addRest(modelUsage: unknown): void {
    this.endCall()
    if (!this.#options.isFresh) return
    for (const [model, total] of Object.entries(fieldsOf(modelUsage))) {
      const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = fieldsOf(total)
      const input = sum([inputTokens, cacheReadInputTokens, cacheCreationInputTokens])
      const { input: knownInput, output: knownOutput } = this.#counted.get(model) ?? { input: 0, output: 0 }
      const rest = {
        input: Math.max(0, input - knownInput),
        output: Math.max(0, sum([outputTokens]) - knownOutput),
      }
      if (rest.input + rest.output === 0) continue
      this.#add(model, tokenCounts({ ...rest, total: undefined, reasoning: undefined, cached: undefined }))
    }
  }

  /** Counts a message of a sub-agent. The SDK gives what its call has used until then. */
  addNested(message: UncheckedFields): void {
    const id = message['id']
    if (this.#options.isFresh || typeof id !== 'string' || this.#nested.has(id)) return
    this.#nested.add(id)
    this.#add(modelIn(message), countsOf(fieldsOf(message['usage'])))
  }

  readonly #nested = new Set<string>()

  #add(model: string, counts: TokenCounts | undefined): void {
    if (counts === undefined) return
    const { input, output } = this.#counted.get(model) ?? { input: 0, output: 0 }
    this.#counted.set(model, { input: input + counts.inputTokens, output: output + counts.outputTokens })
    this.#options.countUsage(`anthropic:${model}`, counts)
  }
}

/** Anthropic counts the tokens that come from a cache, or go into one, apart from the others. */
function countsOf(usage: UncheckedFields): TokenCounts | undefined {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
  if (typeof input_tokens !== 'number' && typeof output_tokens !== 'number') return undefined
  return tokenCounts({
    input: sum([input_tokens, cache_read_input_tokens, cache_creation_input_tokens]),
    output: output_tokens,
    total: undefined,
    reasoning: fieldsOf(usage['output_tokens_details'])['thinking_tokens'],
    cached: cache_read_input_tokens,
  })
}

function modelIn({ model }: UncheckedFields): string {
  return typeof model === 'string' ? model : 'unknown'
}

function sum(numbers: readonly unknown[]): number {
  return numbers.reduce<number>((total, each) => total + (typeof each === 'number' ? each : 0), 0)
}
