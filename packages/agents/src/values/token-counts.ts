import type { TokenCounts } from '../agent/agent-event.ts'

/** Counts as a library or a provider gives them. Each has names of its own. */
export interface GivenCounts {
  readonly input: unknown
  readonly output: unknown
  readonly total: unknown
  readonly reasoning: unknown
  readonly cached: unknown
}

/** Returns the token counts of a model call; `undefined` when there are none. What is no count is left out. */
export function tokenCounts({
  input,
  output,
  total,
  reasoning,
  cached,
}: GivenCounts): TokenCounts | undefined {
  if (!isCount(input) && !isCount(output)) return undefined
  const [inputTokens, outputTokens] = [isCount(input) ? input : 0, isCount(output) ? output : 0]
  return {
    inputTokens,
    outputTokens,
    totalTokens: isCount(total) ? total : inputTokens + outputTokens,
    ...(isCount(reasoning) && { reasoningTokens: reasoning }),
    ...(isCount(cached) && { cachedInputTokens: cached }),
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
