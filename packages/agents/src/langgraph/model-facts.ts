import { isRecord } from '@throughline/protocol'
import type { FinishReason, TokenCounts } from '../agent-event.ts'
import { tokenCounts } from '../values/token-counts.ts'
import { isText } from './message-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the name of a model as usage and prices have it, `provider:model`, from the metadata that LangChain gives a
 * model's run, or a message; `undefined` when it is not there.
 */
export function modelNameIn(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined
  const name = metadata['ls_model_name'] ?? metadata['model_name'] ?? metadata['model']
  const provider = metadata['ls_provider'] ?? metadata['model_provider']
  if (!isText(name)) return undefined
  if (!isText(provider)) return name
  // LangChain has several packages for Google's models. The models and their prices are the same.
  return `${provider.startsWith('google') ? 'google' : provider}:${name}`
}

/** Returns a message's `usage_metadata` as we count it; `undefined` when there is none. */
export function tokenCountsOf(usage: unknown): TokenCounts | undefined {
  if (!isRecord(usage)) return undefined
  return tokenCounts({
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    total: usage['total_tokens'],
    reasoning: fieldsOf(usage['output_token_details'])['reasoning'],
    cached: fieldsOf(usage['input_token_details'])['cache_read'],
  })
}

/** Returns why a model has ended. Each provider has its own field and its own words. */
export function finishReasonOf(metadata: unknown): FinishReason {
  const { finish_reason, stop_reason, finishReason, stopReason } = fieldsOf(metadata)
  switch (String(finish_reason ?? stop_reason ?? finishReason ?? stopReason).toLowerCase()) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
    case 'content-filter':
    case 'safety':
    case 'refusal':
      return 'content-filter'
    default:
      return 'stop'
  }
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {}
}
