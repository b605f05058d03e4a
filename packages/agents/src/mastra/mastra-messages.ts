import { isToolPart, type Message, type Part, type ToolPart, toolNameOf } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import type { ProviderMetadata } from '../agent/agent-event.ts'

/** A message as Mastra takes it: a `UIMessage` of AI SDK 5. */
export interface MastraMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  parts: MastraPart[]
}

type MastraPart =
  | { type: 'text' | 'reasoning'; text: string; providerMetadata?: ProviderMetadata }
  | { type: 'file'; mediaType: string; url: string; filename?: string }
  | { type: 'step-start' }
  | MastraToolPart

type MastraToolPart = {
  type: `tool-${string}`
  toolCallId: string
  input: unknown
  callProviderMetadata?: ProviderMetadata
} & ({ state: 'output-available'; output: unknown } | { state: 'output-error'; errorText: string })

/**
 * Returns a chat as Mastra takes it. Leaves out what a model does not read, calls without an output, and messages of which
 * nothing is left: the providers refuse the last two.
 */
export function mastraMessages(messages: readonly Message[]): MastraMessage[] {
  return messages
    .map(({ id, role, parts }) => ({ id, role, parts: parts.flatMap(mastraParts) }))
    .filter(({ parts }) => parts.some(({ type }) => type !== 'step-start'))
}

function mastraParts(part: Part): readonly MastraPart[] {
  if (isToolPart(part)) return toolParts(part)
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { type, text, providerMetadata } = part
      return [{ type, text, ...(providerMetadata && { providerMetadata }) }]
    }
    case 'file': {
      const { type, mediaType, url, filename } = part
      return [{ type, mediaType, url, ...defined({ filename }) }]
    }
    case 'step-start':
      return [{ type: 'step-start' }]
    default:
      return []
  }
}

function toolParts(part: ToolPart): readonly MastraPart[] {
  const { toolCallId, input = {}, callProviderMetadata } = part
  const call = {
    type: `tool-${toolNameOf(part)}` as const,
    toolCallId,
    input,
    ...(callProviderMetadata && { callProviderMetadata }),
  }
  switch (part.state) {
    case 'output-available':
      return part.preliminary === true ? [] : [{ ...call, state: part.state, output: part.output }]
    case 'output-error':
      return [{ ...call, state: part.state, errorText: part.errorText ?? '' }]
    // AI SDK 5 has no such state.
    case 'output-denied':
      return [{ ...call, state: 'output-error', errorText: 'The user did not allow this call.' }]
    default:
      return []
  }
}
