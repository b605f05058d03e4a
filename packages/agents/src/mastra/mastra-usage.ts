import { isRecord } from '@throughline/protocol'
import type { TokenCounts } from '../agent-event.ts'
import { modelName } from '../ai-sdk/model-name.ts'
import { tokenCounts } from '../values/token-counts.ts'
import { isMastraChunk, type StepFinish } from './mastra-chunk.ts'

export interface StepUsage {
  /** The model that was paid for, as `provider:model`. */
  readonly model: string
  readonly usage: TokenCounts
}

/** Returns what a step used; `undefined` when Mastra does not know. */
export function stepUsage({ output, metadata }: StepFinish): StepUsage | undefined {
  const { inputTokens, outputTokens, totalTokens, reasoningTokens, cachedInputTokens } = output.usage
  const usage = tokenCounts({
    input: inputTokens,
    output: outputTokens,
    total: totalTokens,
    reasoning: reasoningTokens,
    cached: cachedInputTokens,
  })
  return usage && { model: modelOf(metadata), usage }
}

/**
 * Returns what a step of an agent inside a tool used. The tool's output then is a chunk of that agent. A sub-agent of a
 * sub-agent comes as an output inside of an output.
 */
export function nestedUsage(output: unknown): StepUsage | undefined {
  if (!isNestedChunk(output) || !isMastraChunk(output)) return undefined
  if (output.type === 'step-finish') return stepUsage(output.payload)
  return output.type === 'tool-output' ? nestedUsage(output.payload.output) : undefined
}

/** Returns whether a tool's output is a chunk of an agent or a workflow that the tool runs. */
export function isNestedChunk(output: unknown): output is { readonly type: string } {
  return isRecord(output) && typeof output['type'] === 'string' && 'from' in output && 'runId' in output
}

// `modelMetadata` has the model that the agent was made with. `modelId` beside it is what the provider calls it, such as a
// dated version, for which there may be no price.
function modelOf({ modelMetadata, modelId: served }: StepFinish['metadata']): string {
  const { modelProvider: provider, modelId = served } = isRecord(modelMetadata) ? modelMetadata : {}
  if (typeof modelId !== 'string') return 'unknown'
  return typeof provider === 'string' ? modelName({ provider, modelId }) : modelId
}
