import { type Chunk, isChunk } from '@throughline/protocol/chunk'
import { fieldsFor, type OlderSdk } from './sdk-fields.ts'
import { ownMark } from './sdk-mark.ts'

/** What must be remembered between two chunks of a message for an older AI SDK. */
export interface SdkState {
  readonly sdk: OlderSdk
  /** Of every call, whether it began as one of a dynamic tool. Older versions find a call only when its chunks say so. */
  readonly isDynamic: ReadonlyMap<string, boolean>
}

export interface SdkProjected {
  readonly state: SdkState
  readonly chunks: readonly Chunk[]
}

export function beginSdk(sdk: OlderSdk): SdkState {
  return { sdk, isDynamic: new Map() }
}

/** What an older version of the AI SDK can read of a chunk: its strict schemas refuse whatever they do not know. Pure. */
export function projectSdk(before: SdkState, chunk: Chunk): SdkProjected {
  const state = withCall(before, chunk)
  const chunks = inOlderWords(before.sdk, chunk).map(each => fitted(state, each))
  return { state, chunks: chunks.filter(each => each !== undefined) }
}

function withCall(before: SdkState, chunk: Chunk): SdkState {
  if (!('toolName' in chunk) || before.isDynamic.has(chunk.toolCallId)) return before
  const isDynamic = new Map(before.isDynamic).set(chunk.toolCallId, chunk.dynamic === true)
  return { ...before, isDynamic }
}

/** The chunk in words that the version has. */
function inOlderWords(sdk: OlderSdk, chunk: Chunk): readonly Chunk[] {
  // This reason is younger than both.
  if (chunk.type === 'finish' && chunk.finishReason === 'interrupted')
    return [{ ...chunk, finishReason: 'error' }]
  if (sdk === 6) return [chunk]
  switch (chunk.type) {
    case 'tool-input-error': {
      const { type, errorText, ...call } = chunk
      const failed = { type: 'tool-output-error' as const, toolCallId: chunk.toolCallId, errorText }
      return [{ ...call, type: 'tool-input-available' }, failed]
    }
    case 'tool-output-denied':
      return [{ type: 'tool-output-error', toolCallId: chunk.toolCallId, errorText: deniedText }]
    case 'tool-output-available':
      // A result is the last word on a call here.
      return chunk.preliminary === true ? [] : [chunk]
    default:
      return [chunk]
  }
}

export const deniedText = 'The call was denied.'

/** The chunk with the fields that the version knows; nothing when it does not know the type. */
function fitted({ sdk, isDynamic }: SdkState, chunk: Chunk): Chunk | undefined {
  const fields = fieldsFor(sdk, chunk.type)
  if (fields === undefined) return undefined
  const dynamic = 'toolCallId' in chunk && isDynamic.get(chunk.toolCallId) === true
  const marked: Chunk & { readonly dynamic?: boolean } = withMark(chunk)
  const { dynamic: _said, ...whole } = marked
  const all = { ...whole, ...(dynamic && { dynamic }) }
  const value: unknown = Object.fromEntries(
    Object.entries(all).filter(([name]) => name === 'type' || fields.includes(name)),
  )
  return isChunk(value) ? value : undefined
}

function withMark(chunk: Chunk): Chunk {
  if (chunk.type !== 'tool-input-available' && chunk.type !== 'tool-input-error') return chunk
  const mark = ownMark(chunk.toolMetadata)
  return mark ? { ...chunk, providerMetadata: { ...chunk.providerMetadata, throughline: mark } } : chunk
}
