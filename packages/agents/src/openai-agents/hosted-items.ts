import { isRecord } from '@throughline/protocol'
import type { AgentEvent, ToolCall } from '../agent-event.ts'

// Hosted tools run at the provider: web search, pictures, MCP servers that the provider calls, …

type Fields = Readonly<Record<string, unknown>>

/** Returns whether this is the call of a hosted tool. */
export function isHosted(rawItem: Fields): boolean {
  return rawItem['type'] === 'hosted_tool_call'
}

/** Returns the fields of a hosted call as other calls have them. The provider's own fields say which MCP tool it is. */
export function hostedFields(rawItem: Fields): Fields {
  const own = providerData(rawItem)
  return {
    ...rawItem,
    name: own['name'] ?? rawItem['name'],
    arguments: rawItem['arguments'] ?? own['arguments'],
    action: own['action'],
  }
}

/** Returns whether a hosted call is only about other calls: it lists tools, or asks for an approval. */
export function isAboutCalls(rawItem: Fields): boolean {
  return isHosted(rawItem) && aboutCalls.has(String(providerData(rawItem)['type'] ?? rawItem['name']))
}

const aboutCalls = new Set(['mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'])

/** Returns what the provider says of a call that it has run. A picture that it made is a file of the answer. */
export function hostedResult(rawItem: Fields, call: ToolCall): readonly AgentEvent[] {
  const { name, output, status } = rawItem
  const { error, output_format: format = 'png' } = providerData(rawItem)
  if (typeof error === 'string' && error !== '') return [{ type: 'tool-error', ...call, errorText: error }]
  if (name !== 'image_generation_call' || typeof output !== 'string')
    return [{ type: 'tool-result', ...call, output: output ?? status ?? null }]
  const mediaType = `image/${String(format)}`
  const url = `data:${mediaType};base64,${output}`
  return [
    { type: 'tool-result', ...call, output: status ?? 'completed' },
    { type: 'file', chunk: { type: 'file', mediaType, url } },
  ]
}

function providerData(rawItem: Fields): Fields {
  return isRecord(rawItem['providerData']) ? rawItem['providerData'] : {}
}
