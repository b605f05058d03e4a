import { dataKey, type MessageRecord, type PartRecord, partsFrom, savedKey } from './chat-state.ts'
import type { Chunk, ChunkOf } from './chunk.ts'
import { FoldError } from './fold-error.ts'
import { foldToolChunk, isCallChunk, isToolChunk } from './fold-tool.ts'
import { keyedGet, keyedPlace, keyedPush, keyedSet, keyedToArray } from './keyed-list.ts'
import { mergeMetadata } from './merge-metadata.ts'
import { isToolPart, type Part, type ReasoningPart, type TextPart } from './message.ts'
import type { MessageMetadata } from './metadata.ts'

type DataChunk = Extract<Chunk, { type: `data-${string}` }>
type DeltaOrEnd = ChunkOf<'text-delta' | 'text-end' | 'reasoning-delta' | 'reasoning-end'>

/** Folds one chunk into its message; answers the same record when nothing changes. */
export function foldChunk(record: MessageRecord, chunk: Chunk): MessageRecord {
  if (isToolChunk(chunk)) return foldTool(record, chunk)
  const { type } = chunk
  switch (type) {
    case 'text-start':
    case 'reasoning-start':
      return push(record, startedPart(chunk))
    case 'text-delta':
    case 'reasoning-delta':
      return updateOpen(record, chunk, part => ({ ...part, text: part.text + chunk.delta }))
    case 'text-end':
    case 'reasoning-end':
      return updateOpen(record, chunk, part => ({ ...part, state: 'done' }))
    case 'file':
    case 'reasoning-file':
    case 'source-url':
    case 'source-document':
    case 'custom':
    case 'steering-message':
      return push(record, { key: '', part: chunk })
    case 'start-step':
      return push(record, { key: '', part: { type: 'step-start' } })
    case 'reset-step':
      return dropStep(record)
    case 'start':
    case 'finish':
    case 'message-metadata':
      return withMetadata(record, chunk.messageMetadata)
    case 'finish-step':
    case 'abort':
    case 'error':
      return record
    default:
      return foldData(record, chunk)
  }
}

function startedPart({ type, id, providerMetadata }: ChunkOf<'text-start' | 'reasoning-start'>): PartRecord {
  const streaming = { text: '', state: 'streaming', providerMetadata } as const
  return type === 'text-start'
    ? { key: `text ${id}`, part: { type: 'text', ...streaming } }
    : { key: `reasoning ${id}`, part: { type: 'reasoning', id, ...streaming } }
}

function updateOpen(
  record: MessageRecord,
  chunk: DeltaOrEnd,
  update: (part: TextPart | ReasoningPart) => TextPart | ReasoningPart,
): MessageRecord {
  const kind = chunk.type.startsWith('text') ? 'text' : 'reasoning'
  const key = `${kind} ${chunk.id}`
  const place = keyedPlace(record.parts, key) ?? keyedPlace(record.parts, savedKey(kind))
  const part = place === undefined ? undefined : keyedGet(record.parts, place)?.part
  if (
    place === undefined ||
    (part?.type !== 'text' && part?.type !== 'reasoning') ||
    part.state !== 'streaming'
  ) {
    throw new FoldError(
      'unknown-part',
      `Message ${record.id}: a ${chunk.type} chunk names the ${kind} part "${chunk.id}", which is not open. Ensure a "${kind}-start" chunk is sent first.`,
    )
  }
  const updated = update(part)
  const citations = 'citations' in chunk ? chunk.citations : undefined
  const providerMetadata = chunk.providerMetadata ?? updated.providerMetadata
  return replace(record, place, {
    key,
    part:
      updated.type === 'text' && citations !== undefined
        ? { ...updated, providerMetadata, citations }
        : { ...updated, providerMetadata },
  })
}

function foldTool(record: MessageRecord, chunk: Parameters<typeof foldToolChunk>[1]): MessageRecord {
  const found =
    chunk.type === 'tool-approval-response'
      ? findApproval(record, chunk.approvalId)
      : keyedPlace(record.parts, `tool ${chunk.toolCallId}`)
  // Some models count their calls anew in every step: the same id in a later step is another call.
  const isOther = found !== undefined && isCallChunk(chunk) && hasStepAfter(record, found)
  const place = isOther ? undefined : found
  const known = place === undefined ? undefined : keyedGet(record.parts, place)?.part
  const part = foldToolChunk(known !== undefined && isToolPart(known) ? known : undefined, chunk)
  const updated = { key: `tool ${part.toolCallId}`, part }
  return place === undefined ? push(record, updated) : replace(record, place, updated)
}

function foldData(record: MessageRecord, chunk: DataChunk): MessageRecord {
  const { type, id, data } = chunk
  if (chunk.transient) return record
  const part = id === undefined ? { type, data } : { type, id, data }
  if (id === undefined) return push(record, { key: '', part })
  const key = dataKey(type, id)
  const place = keyedPlace(record.parts, key)
  return place === undefined ? push(record, { key, part }) : replace(record, place, { key, part })
}

function withMetadata(record: MessageRecord, added: MessageMetadata | undefined): MessageRecord {
  const metadata = mergeMetadata(record.metadata, added)
  return metadata === record.metadata ? record : { ...record, metadata }
}

function dropStep(record: MessageRecord): MessageRecord {
  const parts = keyedToArray(record.parts)
  const kept = parts.findLastIndex(({ part }) => part.type === 'step-start') + 1
  return kept === parts.length ? record : { ...record, parts: partsFrom(parts.slice(0, kept)) }
}

function findApproval(record: MessageRecord, approvalId: string): number | undefined {
  const place = keyedToArray(record.parts).findLastIndex(({ part }) => hasApproval(part, approvalId))
  return place === -1 ? undefined : place
}

function hasStepAfter({ parts }: MessageRecord, place: number): boolean {
  for (let index = place + 1; index < parts.items.size; index += 1) {
    if (keyedGet(parts, index)?.part.type === 'step-start') return true
  }
  return false
}

function hasApproval(part: Part, approvalId: string): boolean {
  return isToolPart(part) && part.approval?.id === approvalId
}

function push(record: MessageRecord, part: PartRecord): MessageRecord {
  return { ...record, parts: keyedPush(record.parts, part) }
}

function replace(record: MessageRecord, place: number, part: PartRecord): MessageRecord {
  return { ...record, parts: keyedSet(record.parts, place, part) }
}
