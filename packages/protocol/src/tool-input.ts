import type { ToolPart } from './message.ts'
import { parsePartialJson } from './partial-json.ts'

const parsed = new WeakMap<ToolPart, unknown>()

/**
 * A tool part's input, also while it is still arriving. Partial JSON is parsed here, when a reader
 * asks, and once per part object: parsing per delta would cost more with every delta.
 */
export function toolInput(part: ToolPart): unknown {
  if (part.input !== undefined || part.rawInput === undefined) return part.input
  if (part.inputEncoding === 'text') return part.rawInput
  if (!parsed.has(part)) parsed.set(part, parsePartialJson(part.rawInput))
  return parsed.get(part)
}
