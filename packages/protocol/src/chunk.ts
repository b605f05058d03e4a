import type { UIMessageChunk } from 'ai'
import type { Message } from './message.ts'
import type { MessageMetadata } from './metadata.ts'

/**
 * One chunk of the stream: the AI SDK's union, with our metadata. Extensions are `data-*`:
 * - `data-message` (transient): a whole message enters the chat, e.g. the user's.
 * - `data-sub-agent` (transient): a sub-agent's chunk inside a stream of its master's chunks.
 */
export type Chunk = UIMessageChunk<MessageMetadata>
export type ChunkOf<Type extends Chunk['type']> = Extract<Chunk, { type: Type }>

export interface MessageChunk {
  readonly type: 'data-message'
  readonly id: string
  readonly transient: true
  readonly data: Message
}

type FieldKind = 'string' | 'string?' | 'boolean' | 'object?' | 'array' | 'message' | 'any'
type Fields = Readonly<Record<string, FieldKind>>

const part: Fields = { id: 'string', providerMetadata: 'object?' }
const call: Fields = { toolCallId: 'string', toolName: 'string' }

// What `fold` and readers rely on, per type. A table look-up and a few `typeof`s per chunk, where a
// schema union would try its members in order.
const fieldsByType: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['text-start', part],
  ['text-delta', { ...part, delta: 'string' }],
  ['text-end', part],
  ['reasoning-start', part],
  ['reasoning-delta', { ...part, delta: 'string' }],
  ['reasoning-end', part],
  ['tool-input-start', call],
  ['tool-input-delta', { toolCallId: 'string', inputTextDelta: 'string' }],
  ['tool-input-available', { ...call, input: 'any' }],
  ['tool-input-error', { ...call, errorText: 'string' }],
  ['tool-output-available', { toolCallId: 'string', output: 'any' }],
  ['tool-output-error', { toolCallId: 'string', errorText: 'string' }],
  ['tool-output-denied', { toolCallId: 'string' }],
  ['tool-approval-request', { toolCallId: 'string', approvalId: 'string' }],
  ['tool-approval-response', { approvalId: 'string', approved: 'boolean' }],
  ['source-url', { sourceId: 'string', url: 'string' }],
  ['source-document', { sourceId: 'string', mediaType: 'string', title: 'string' }],
  ['file', { url: 'string', mediaType: 'string' }],
  ['reasoning-file', { url: 'string', mediaType: 'string' }],
  ['custom', { kind: 'string' }],
  ['steering-message', { id: 'string', parts: 'array' }],
  ['start-step', {}],
  ['finish-step', {}],
  ['reset-step', {}],
  ['start', { messageId: 'string?', messageMetadata: 'object?' }],
  ['finish', { finishReason: 'string?', messageMetadata: 'object?' }],
  ['abort', { reason: 'string?' }],
  ['error', { errorText: 'string' }],
  ['message-metadata', { messageMetadata: 'object?' }],
  ['data-message', { id: 'string', data: 'message' }],
])

const dataFields: Fields = { id: 'string?', data: 'any' }

/** Whether a value is a chunk we can fold. Unknown types are not; extra fields are no matter. */
export function isChunk(value: unknown): value is Chunk {
  return chunkProblem(value) === undefined
}

/** What is wrong with a value that should be a chunk, in words; `undefined` when nothing is. */
export function chunkProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'a chunk must be a JSON object'
  const type = value['type']
  if (typeof type !== 'string') return 'a chunk needs a string field "type"'
  const fields = fieldsByType.get(type) ?? (type.startsWith('data-') ? dataFields : undefined)
  if (fields === undefined) return `unknown chunk type "${type.slice(0, 64)}"`
  for (const name in fields) {
    if (!isOfKind(value[name], fields[name])) {
      return `the field "${name}" of a ${type} chunk is missing or of the wrong type`
    }
  }
  return undefined
}

/** A well-formed object of a type this version does not know: readers pass it by. */
export function isUnknownChunk(value: unknown): boolean {
  if (!isRecord(value)) return false
  const type = value['type']
  return typeof type === 'string' && !type.startsWith('data-') && !fieldsByType.has(type)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOfKind(value: unknown, kind: FieldKind | undefined): boolean {
  switch (kind) {
    case 'string':
      return typeof value === 'string'
    case 'string?':
      return value === undefined || typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'object?':
      return value === undefined || isRecord(value)
    case 'array':
      return Array.isArray(value)
    case 'message':
      return isMessage(value)
    case 'any':
    case undefined:
      return true
  }
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { id, role, parts, metadata } = value
  return (
    typeof id === 'string' &&
    (role === 'user' || role === 'assistant' || role === 'system') &&
    Array.isArray(parts) &&
    parts.every(each => isRecord(each) && typeof each['type'] === 'string') &&
    (metadata === undefined || isRecord(metadata))
  )
}
