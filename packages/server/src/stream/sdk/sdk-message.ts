import {
  isDataPart,
  isRecord,
  isToolPart,
  type Message,
  type Part,
  type ToolPart,
} from '@throughline/protocol'
import { type OlderSdk, ownMark, partFieldsFor } from './sdk-fields.ts'
import { deniedText } from './sdk-projection.ts'

/** Returns a message as a page with an older AI SDK has it after it has read the message's stream. */
export function sdkMessage(sdk: OlderSdk, message: Message): Message {
  const parts = message.parts.flatMap(part => olderPart(sdk, part))
  // Older versions refuse a loaded message without parts. A step start is a part that shows nothing.
  return { ...message, parts: parts.length === 0 ? [{ type: 'step-start' }] : parts }
}

function olderPart(sdk: OlderSdk, part: Part): readonly Part[] {
  const fields = partFieldsFor(sdk, isToolPart(part) ? 'tool' : isDataPart(part) ? 'data' : part.type)
  if (fields === undefined) return []
  const worded = isToolPart(part) ? olderTool(sdk, part) : part
  const kept = Object.entries(worded).filter(([name]) => name === 'type' || fields.includes(name))
  const older: unknown = Object.fromEntries(kept)
  return isPart(older) ? [older] : []
}

/** The tool part in states that the version knows. */
function olderTool(sdk: OlderSdk, part: ToolPart): ToolPart {
  const mark = ownMark(part.toolMetadata)
  const marked = mark
    ? { ...part, callProviderMetadata: { ...part.callProviderMetadata, throughline: mark } }
    : part
  if (sdk === 6) {
    const { id, approved, reason } = part.approval ?? {}
    return id === undefined ? marked : { ...marked, approval: { id, approved, reason } }
  }
  switch (part.state) {
    case 'approval-requested':
    case 'approval-responded':
      return { ...marked, state: 'input-available' }
    case 'output-denied':
      return { ...marked, state: 'output-error', errorText: deniedText }
    case 'output-available':
      return part.preliminary === true ? { ...marked, state: 'input-available', output: undefined } : marked
    default:
      return marked
  }
}

function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['type'] === 'string'
}
