import type { Chunk, ChunkOf } from './chunk.ts'
import { FoldError } from './fold-error.ts'
import type { ToolApproval, ToolPart } from './message.ts'
import { toolInput } from './tool-input.ts'

type ToolChunk = Extract<Chunk, { type: `tool-${string}` }>
type CallChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>

export function isToolChunk(chunk: Chunk): chunk is ToolChunk {
  return chunk.type.startsWith('tool-')
}

export function isCallChunk(chunk: Chunk): chunk is CallChunk {
  return chunk.type.startsWith('tool-input-') && chunk.type !== 'tool-input-delta'
}

/** The next state of a tool's part. Only a call chunk can begin one. */
export function foldToolChunk(part: ToolPart | undefined, chunk: ToolChunk): ToolPart {
  switch (chunk.type) {
    case 'tool-input-start':
      return { ...called(part, chunk), state: 'input-streaming', inputEncoding: chunk.inputEncoding }
    case 'tool-input-available':
      return { ...called(part, chunk), state: 'input-available', input: chunk.input }
    case 'tool-input-error':
      return { ...called(part, chunk), state: 'output-error', input: chunk.input, errorText: chunk.errorText }
  }
  if (part === undefined) throw unknownCall(chunk)
  switch (chunk.type) {
    case 'tool-input-delta':
      return { ...part, rawInput: (part.rawInput ?? '') + chunk.inputTextDelta }
    case 'tool-approval-request':
      return { ...part, state: 'approval-requested', approval: requested(chunk) }
    case 'tool-approval-response':
      return {
        ...part,
        state: 'approval-responded',
        approval: responded(part, chunk),
        providerExecuted: chunk.providerExecuted ?? part.providerExecuted,
        callProviderMetadata: chunk.providerMetadata ?? part.callProviderMetadata,
      }
    case 'tool-output-denied':
      return { ...part, state: 'output-denied' }
    case 'tool-output-available':
      return {
        ...answered(part, chunk),
        state: 'output-available',
        output: chunk.output,
        preliminary: chunk.preliminary,
        rawInput: undefined,
      }
    case 'tool-output-error':
      return { ...answered(part, chunk), state: 'output-error', errorText: chunk.errorText }
  }
}

// A call replaces what was known of its input and result; names and lineage stay.
function called(part: ToolPart | undefined, chunk: CallChunk): Omit<ToolPart, 'state'> {
  const { toolCallId, toolName } = chunk
  const isResult = chunk.type === 'tool-input-error'
  // The AI SDK calls every unreadable input dynamic: what the call began as counts.
  const isDynamic = isResult && part !== undefined ? part.type === 'dynamic-tool' : chunk.dynamic
  const kind = isDynamic
    ? ({ type: 'dynamic-tool', toolName } as const)
    : ({ type: `tool-${toolName}` } as const)
  return {
    ...kind,
    toolCallId,
    title: (isResult ? undefined : chunk.title) ?? part?.title,
    toolMetadata: chunk.toolMetadata ?? part?.toolMetadata,
    providerExecuted: chunk.providerExecuted ?? part?.providerExecuted,
    callProviderMetadata: (isResult ? undefined : chunk.providerMetadata) ?? part?.callProviderMetadata,
    resultProviderMetadata: (isResult ? chunk.providerMetadata : undefined) ?? part?.resultProviderMetadata,
    approval: part?.approval,
  }
}

// The result ends the input's streaming, so its JSON is parsed now, once. A static tool's raw text stays
// with an error: it is what was shown when the call was cut off.
function answered(part: ToolPart, chunk: ChunkOf<'tool-output-available' | 'tool-output-error'>): ToolPart {
  return {
    ...part,
    input: toolInput(part),
    inputEncoding: undefined,
    output: undefined,
    errorText: undefined,
    preliminary: undefined,
    rawInput: part.type === 'dynamic-tool' ? undefined : part.rawInput,
    providerExecuted: chunk.providerExecuted ?? part.providerExecuted,
    toolMetadata: chunk.toolMetadata ?? part.toolMetadata,
    resultProviderMetadata: chunk.providerMetadata ?? part.resultProviderMetadata,
  }
}

function requested(chunk: ChunkOf<'tool-approval-request'>): ToolApproval {
  return {
    id: chunk.approvalId,
    descriptor: chunk.approvalDescriptor ?? undefined,
    inputSchemaInput: chunk.inputSchemaInput,
    requestReason: chunk.reason,
    isAutomatic: chunk.isAutomatic === true ? true : undefined,
    signature: chunk.signature,
  }
}

function responded(part: ToolPart, chunk: ChunkOf<'tool-approval-response'>): ToolApproval {
  return {
    ...part.approval,
    id: chunk.approvalId,
    approved: chunk.approved,
    reason: chunk.reason ?? part.approval?.reason,
  }
}

function unknownCall(chunk: ToolChunk): FoldError {
  const id = 'toolCallId' in chunk ? chunk.toolCallId : chunk.approvalId
  return new FoldError(
    'unknown-part',
    `A ${chunk.type} chunk names "${id}", which no tool call has. Ensure the call's "tool-input-available" chunk is sent before its result.`,
  )
}
