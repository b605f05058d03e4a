import { memoizeByIdentity } from './memoize-by-identity.ts'
import type { ToolPart } from './message.ts'
import { parsePartialJson } from './partial-json.ts'

/**
 * Returns the input of a tool call, also while it is still arriving. Partial JSON is parsed here, when a reader asks
 * for it, and once per part object. Parsing it for every delta would cost more with every delta.
 */
export function toolInput(part: ToolPart): unknown {
  if (part.input !== undefined || part.rawInput === undefined) return part.input
  return part.inputEncoding === 'text' ? part.rawInput : parsedInput(part)
}

const parsedInput = memoizeByIdentity(({ rawInput = '' }: ToolPart) => parsePartialJson(rawInput))
