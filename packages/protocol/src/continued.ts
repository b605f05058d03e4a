import type { ChunkOf } from './chunk.ts'
import type { DataPart, Part } from './message.ts'

/** What a `data-continued` part says: here an answer went on after the process that wrote it had died. */
export interface ContinuedData {
  /** How often the answer went on, from 1. */
  readonly attempt: number
  /** When it went on, in ISO format. */
  readonly at: string
  /** Whether a step was cut: its model call, or one of its tools, had not ended. */
  readonly isStepCut: boolean
}

const type = 'data-continued'

/** Returns the chunk that shows people where an answer went on. */
export function continuedChunk(data: ContinuedData): ChunkOf<`data-${string}`> {
  return { type, id: `continued-${data.attempt}`, data }
}

/** Returns whether a part, or a chunk, shows that the answer went on here. */
export function isContinued(part: { readonly type: string }): boolean {
  return part.type === type
}

/** Returns whether an answer went on here after its step had been cut. */
export function isStepCutAt(part: Part): boolean {
  if (!isContinuedPart(part)) return false
  const { data } = part
  return typeof data === 'object' && data !== null && 'isStepCut' in data && data.isStepCut === true
}

function isContinuedPart(part: Part): part is DataPart {
  return isContinued(part)
}
