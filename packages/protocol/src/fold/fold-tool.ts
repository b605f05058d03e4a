import type { Chunk, ChunkOf } from '../entries/chunk.ts'
import type { ToolPart } from '../message/message.ts'
import { toolInput } from '../message/tool-call.ts'
import { FoldError, notOpen } from './fold-error.ts'

/** A chunk of a tool call. */
export type ToolChunk = Extract<Chunk, { type: `tool-${string}` }>
type CallChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>
type ResultChunk = ChunkOf<'tool-output-available' | 'tool-output-error'>

/** Returns whether a chunk is about a tool call. */
export function isToolChunk(chunk: Chunk): chunk is ToolChunk {
  return chunk.type.startsWith('tool-')
}

/**
 * Returns the part of a tool call after one more chunk. Only a chunk that names the tool can create the part; any other
 * chunk without a part throws a `FoldError`.
 */
export function foldToolChunk(part: ToolPart | undefined, chunk: ToolChunk): ToolPart {
  if ('toolName' in chunk) return foldCall(part, chunk)
  if (part === undefined) {
    const name = `call "${'toolCallId' in chunk ? chunk.toolCallId : chunk.approvalId}"`
    throw new FoldError('unknown-part', notOpen(chunk.type, name, 'tool-input-available'))
  }
  const { type, toolName } = part
  switch (chunk.type) {
    case 'tool-input-delta':
      return { ...part, rawInput: (part.rawInput ?? '') + chunk.inputTextDelta }
    case 'tool-approval-request':
      return {
        ...part,
        state: 'approval-requested',
        approval: {
          id: chunk.approvalId,
          descriptor: chunk.approvalDescriptor ?? undefined,
          inputSchemaInput: chunk.inputSchemaInput,
          requestReason: chunk.reason,
          isAutomatic: chunk.isAutomatic || undefined,
          signature: chunk.signature,
        },
      }
    case 'tool-approval-response':
      return {
        ...part,
        state: 'approval-responded',
        approval: {
          ...part.approval,
          id: chunk.approvalId,
          approved: chunk.approved,
          reason: chunk.reason ?? part.approval?.reason,
        },
        providerExecuted: chunk.providerExecuted ?? part.providerExecuted,
        callProviderMetadata: chunk.providerMetadata ?? part.callProviderMetadata,
      }
    case 'tool-output-denied':
      return { ...part, state: 'output-denied' }
    // With a result, no more input can come. So its JSON is parsed now, once.
    case 'tool-output-available':
      return {
        ...carriedOver(part, chunk),
        type,
        toolName,
        state: 'output-available',
        input: toolInput(part),
        output: chunk.output,
        preliminary: chunk.preliminary,
      }
    case 'tool-output-error':
      return {
        ...carriedOver(part, chunk),
        type,
        toolName,
        state: 'output-error',
        input: toolInput(part),
        // The raw text of a static tool stays, as in the AI SDK: it was on the screen when the call broke off.
        rawInput: type === 'dynamic-tool' ? undefined : part.rawInput,
        errorText: chunk.errorText,
      }
  }
}

function foldCall(part: ToolPart | undefined, chunk: CallChunk): ToolPart {
  const { type, toolName } = chunk
  // The AI SDK marks every call whose input it cannot read as dynamic. We go by how the call began.
  const isDynamic = type === 'tool-input-error' && part ? part.type === 'dynamic-tool' : chunk.dynamic
  const call = {
    ...carriedOver(part, chunk),
    type: isDynamic ? ('dynamic-tool' as const) : (`tool-${toolName}` as const),
    toolName: isDynamic ? toolName : undefined,
  }
  switch (type) {
    case 'tool-input-start':
      return { ...call, state: 'input-streaming', inputEncoding: chunk.inputEncoding }
    case 'tool-input-available':
      return { ...call, state: 'input-available', input: chunk.input }
    case 'tool-input-error':
      return { ...call, state: 'output-error', input: chunk.input, errorText: chunk.errorText }
  }
}

// A call or a result replaces the part's input and output. These are the other fields: the chunk's value when it has
// one, else the value that the part had before.
function carriedOver(
  part: ToolPart | undefined,
  chunk: CallChunk | ResultChunk,
): Omit<ToolPart, 'type' | 'toolName' | 'state'> {
  const { toolCallId, providerMetadata } = chunk
  const isCall = chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available'
  return {
    toolCallId,
    title: (isCall ? chunk.title : undefined) ?? part?.title,
    toolMetadata: chunk.toolMetadata ?? part?.toolMetadata,
    providerExecuted: chunk.providerExecuted ?? part?.providerExecuted,
    callProviderMetadata: (isCall ? providerMetadata : undefined) ?? part?.callProviderMetadata,
    resultProviderMetadata: (isCall ? undefined : providerMetadata) ?? part?.resultProviderMetadata,
    approval: part?.approval,
  }
}
