import type { UIMessageChunk } from 'ai'
import type { Message } from '../message/message.ts'
import type { MessageMetadata } from '../message/metadata.ts'
import {
  badField,
  type Fields,
  isRecord,
  isRecordOrNone,
  isString,
  isStringOrNone,
} from '../values/fields.ts'

/**
 * One chunk of the stream: the AI SDK's union, with our metadata. Our own chunks are `data-*` chunks:
 * - `data-message` (transient): adds a whole message to the chat, such as the user's.
 * - `data-sub-agent` (transient): carries a sub-agent's chunk inside the stream of its master's chunks.
 * - `data-rearrange` (transient): deletes messages from the chat, or moves them to another place.
 * - `data-output-request`: a tool call waits for its output from outside. See `OutputRequest`.
 * - `data-continued`: the answer goes on here after a crash. See `ContinuedData`.
 */
export type Chunk = UIMessageChunk<MessageMetadata>
/** The chunks of one type. */
export type ChunkOf<Type extends Chunk['type']> = Extract<Chunk, { type: Type }>

/** Adds a whole message to the chat. */
export interface MessageChunk {
  readonly type: 'data-message'
  readonly id: string
  readonly transient: true
  readonly data: Message
}

/** Deletes or moves messages of the chat. */
export interface RearrangeChunk {
  readonly type: 'data-rearrange'
  readonly transient: true
  readonly data: Rearrangement
}

/** Which messages to delete, or to move and where to. */
export interface Rearrangement {
  /** The messages to delete or to move. */
  readonly messageIds: readonly string[]
  /** The message after which to put them; empty for the start of the chat. Without this field they are deleted. */
  readonly after?: string | undefined
}

const messageFields: Fields = {
  id: isString,
  role: value => value === 'user' || value === 'assistant' || value === 'system',
  parts: value => Array.isArray(value) && value.every(isTyped),
  metadata: isRecordOrNone,
}

// The fields that `fold` and readers rely on, by chunk type. A check costs one table look-up and a few `typeof`s. The
// union of a schema library would try its members one after the other.
const fieldsByType: ReadonlyMap<string, Fields> = new Map(
  Object.entries<Fields>({
    'text-start': { id: isString, providerMetadata: isRecordOrNone },
    'text-delta': { id: isString, providerMetadata: isRecordOrNone, delta: isString },
    'text-end': { id: isString, providerMetadata: isRecordOrNone },
    'reasoning-start': { id: isString, providerMetadata: isRecordOrNone },
    'reasoning-delta': { id: isString, providerMetadata: isRecordOrNone, delta: isString },
    'reasoning-end': { id: isString, providerMetadata: isRecordOrNone },
    'tool-input-start': { toolCallId: isString, toolName: isString },
    'tool-input-delta': { toolCallId: isString, inputTextDelta: isString },
    'tool-input-available': { toolCallId: isString, toolName: isString },
    'tool-input-error': { toolCallId: isString, toolName: isString, errorText: isString },
    'tool-output-available': { toolCallId: isString },
    'tool-output-error': { toolCallId: isString, errorText: isString },
    'tool-output-denied': { toolCallId: isString },
    'tool-approval-request': { toolCallId: isString, approvalId: isString },
    'tool-approval-response': { approvalId: isString, approved: value => typeof value === 'boolean' },
    'source-url': { sourceId: isString, url: isString },
    'source-document': { sourceId: isString, mediaType: isString, title: isString },
    file: { url: isString, mediaType: isString },
    'reasoning-file': { url: isString, mediaType: isString },
    custom: { kind: isString },
    'steering-message': { id: isString, parts: Array.isArray },
    'start-step': {},
    'finish-step': {},
    'reset-step': {},
    start: { messageMetadata: isRecordOrNone, messageId: isStringOrNone },
    finish: { messageMetadata: isRecordOrNone, finishReason: isStringOrNone },
    abort: { reason: isStringOrNone },
    error: { errorText: isString },
    'message-metadata': { messageMetadata: isRecordOrNone },
    'data-message': { id: isString, data: value => isRecord(value) && !badField(value, messageFields) },
    'data-rearrange': { data: value => isRecord(value) && Array.isArray(value['messageIds']) },
  }),
)

const dataFields: Fields = { id: isStringOrNone }

/** Returns whether a value is a chunk that `fold` can take. Unknown types are not. Extra fields are allowed. */
export function isChunk(value: unknown): value is Chunk {
  return chunkProblem(value) === undefined
}

/** Returns what is wrong with a value that should be a chunk, in words; `undefined` when it is a chunk. */
export function chunkProblem(value: unknown): string | undefined {
  if (!isTyped(value)) return 'a chunk must be a JSON object with a "type"'
  const { type } = value
  const fields = fieldsOf(type)
  if (!fields) return `unknown chunk type "${type.slice(0, 64)}"`
  const field = badField(value, fields)
  return field && `a ${type} chunk needs a valid "${field}"`
}

/** Returns whether a value looks like a chunk of a type that this version does not know. Readers ignore these. */
export function isUnknownChunk(value: unknown): boolean {
  return isTyped(value) && !fieldsOf(value.type)
}

function isTyped(value: unknown): value is Readonly<Record<string, unknown>> & { readonly type: string } {
  return isRecord(value) && isString(value['type'])
}

function fieldsOf(type: string): Fields | undefined {
  return fieldsByType.get(type) ?? (type.startsWith('data-') ? dataFields : undefined)
}
