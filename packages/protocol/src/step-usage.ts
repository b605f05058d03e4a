import { type Chunk, type ChunkOf, isRecord } from './chunk.ts'

/**
 * What one step has used, without its sub-agents. The log has it in `finish-step`. The streams for stock clients have not:
 * some versions of the AI SDK refuse a chunk with a field that they do not know.
 */
export interface StepUsage {
  /** The model, as `provider:model`. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  /** US dollars; `null` when the model's price is not known. */
  readonly cost?: number | null | undefined
}

/** Returns the chunk that ends a step. */
export function finishStep(usage?: StepUsage | undefined): ChunkOf<'finish-step'> {
  const bare = { type: 'finish-step' } as const
  return usage === undefined ? bare : { ...bare, ...{ usage } }
}

/** Returns what a step has used, as the chunk that ends it says; `undefined` when it does not. */
export function stepUsageOf(chunk: Chunk): StepUsage | undefined {
  if (chunk.type !== 'finish-step' || !('usage' in chunk)) return undefined
  const { usage } = chunk
  return isStepUsage(usage) ? usage : undefined
}

/** Returns the chunk as stock clients may read it. */
export function withoutStepUsage(chunk: Chunk): Chunk {
  return chunk.type === 'finish-step' && 'usage' in chunk ? finishStep() : chunk
}

function isStepUsage(value: unknown): value is StepUsage {
  if (!isRecord(value) || typeof value['model'] !== 'string') return false
  const counts = [value['inputTokens'], value['outputTokens'], value['totalTokens']]
  return counts.every(count => typeof count === 'number') && isCost(value['cost'])
}

function isCost(value: unknown): boolean {
  return value == null || typeof value === 'number'
}
