import { isRecord } from '@throughline/protocol'
import type { TokenCounts } from '../agent/agent-event.ts'
import { fieldsOf, type UncheckedFields } from '../values/fields.ts'
import { tokenCounts } from '../values/token-counts.ts'
import type { RemoteUsage } from './form-reader.ts'

/** Returns usage with the names that the AI SDK, AG-UI and Throughline use; `undefined` when there is none. */
function countsFrom(value: unknown): TokenCounts | undefined {
  if (!isRecord(value)) return undefined
  return tokenCounts({
    input: value['inputTokens'],
    output: value['outputTokens'],
    total: value['totalTokens'],
    reasoning: value['reasoningTokens'] ?? fieldsOf(value['outputTokenDetails'])['reasoningTokens'],
    cached: value['cachedInputTokens'] ?? fieldsOf(value['inputTokenDetails'])['cacheReadTokens'],
  })
}

/** Returns usage with the names of OpenAI's chat completions; `undefined` when there is none. */
export function openAiCountsFrom(value: unknown): TokenCounts | undefined {
  if (!isRecord(value)) return undefined
  return tokenCounts({
    input: value['prompt_tokens'],
    output: value['completion_tokens'],
    total: value['total_tokens'],
    reasoning: fieldsOf(value['completion_tokens_details'])['reasoning_tokens'],
    cached: fieldsOf(value['prompt_tokens_details'])['cached_tokens'],
  })
}

/**
 * Returns the usage in the metadata of a message: by model, as Throughline writes it, or the `usage` or `totalUsage` that
 * many routes of the AI SDK add.
 */
export function usageIn(metadata: UncheckedFields, provider: string): readonly RemoteUsage[] {
  const usage = metadata['usage'] ?? metadata['totalUsage']
  const byModel = fieldsOf(usage)['byModel']
  if (isRecord(byModel)) return Object.entries(byModel).flatMap(([model, used]) => usageOf(model, used))
  const model = metadata['model']
  return usageOf(`${provider}:${typeof model === 'string' ? model : 'unknown'}`, usage)
}

/** Returns the usage of a model; nothing when the value has no token counts. */
export function usageOf(model: string, value: unknown): readonly RemoteUsage[] {
  const found = countsFrom(value)
  return found === undefined ? [] : [{ type: 'usage', model, counts: found }]
}
