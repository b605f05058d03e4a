import type { Chunk, ChunkOf } from '../entries/chunk.ts'
import { isToolPart, type Part } from '../message/message.ts'
import { keyedFrom, keyedIndexOf, keyedPut, listGet, listToArray } from '../values/list.ts'
import { dataId, type MessageRecord, partId, savedId } from './chat-state.ts'
import { FoldError, notOpen } from './fold-error.ts'
import { foldToolChunk, isToolChunk, type ToolChunk } from './fold-tool.ts'
import { mergeMetadata } from './merge-metadata.ts'

type DataChunk = Extract<Chunk, { type: `data-${string}` }>
type TextChunk = ChunkOf<`${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`>

/**
 * Folds one chunk into its message. Returns the same record when nothing changes. Throws a `FoldError` when the chunk
 * is for a part that is not open.
 */
export function foldChunk(record: MessageRecord, chunk: Chunk): MessageRecord {
  if (isToolChunk(chunk)) return foldTool(record, chunk)
  const { type } = chunk
  switch (type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return foldText(record, chunk)
    case 'file':
    case 'reasoning-file':
    case 'source-url':
    case 'source-document':
    case 'custom':
    case 'steering-message':
      return put(record, -1, chunk)
    case 'start-step':
      return put(record, -1, { type: 'step-start' })
    case 'reset-step':
      return dropStep(record)
    case 'start':
    case 'finish':
    case 'message-metadata': {
      const metadata = mergeMetadata(record.metadata, chunk.messageMetadata)
      return metadata === record.metadata ? record : { ...record, metadata }
    }
    case 'finish-step':
    case 'abort':
    case 'error':
      return record
    default:
      return foldData(record, chunk)
  }
}

function foldText(record: MessageRecord, chunk: TextChunk): MessageRecord {
  const { type, providerMetadata } = chunk
  const kind = type.startsWith('text') ? 'text' : 'reasoning'
  const id = `${kind} ${chunk.id}`
  if (type === 'text-start' || type === 'reasoning-start') {
    const streaming = { text: '', state: 'streaming', providerMetadata } as const
    const part: Part =
      kind === 'text' ? { type: kind, ...streaming } : { type: kind, id: chunk.id, ...streaming }
    return put(record, -1, part, id)
  }
  const own = keyedIndexOf(record.parts, id)
  const index = own === -1 ? keyedIndexOf(record.parts, savedId(kind)) : own
  const part = listGet(record.parts.items, index)?.part
  if ((part?.type !== 'text' && part?.type !== 'reasoning') || part.state !== 'streaming') {
    const name = `${kind} "${chunk.id}" of message ${record.id}`
    throw new FoldError('unknown-part', notOpen(type, name, `${kind}-start`))
  }
  const folded: Part = {
    ...part,
    ...('delta' in chunk ? { text: part.text + chunk.delta } : { state: 'done' }),
    ...('citations' in chunk && { citations: chunk.citations }),
    providerMetadata: providerMetadata ?? part.providerMetadata,
  }
  return put(record, index, folded, id)
}

function foldTool(record: MessageRecord, chunk: ToolChunk): MessageRecord {
  const found =
    'toolCallId' in chunk
      ? keyedIndexOf(record.parts, `tool ${chunk.toolCallId}`)
      : listToArray(record.parts.items).findLastIndex(
          ({ part }) => isToolPart(part) && part.approval?.id === chunk.approvalId,
        )
  // Some models restart their call ids at every step. So the same id in a later step is another call.
  const index = 'toolName' in chunk && keyedIndexOf(record.parts, 'step') > found ? -1 : found
  const part = listGet(record.parts.items, index)?.part
  return put(record, index, foldToolChunk(part && isToolPart(part) ? part : undefined, chunk))
}

function foldData(record: MessageRecord, chunk: DataChunk): MessageRecord {
  if (chunk.transient) return record
  const { type, id, data } = chunk
  const index = id === undefined ? -1 : keyedIndexOf(record.parts, dataId(type, id))
  return put(record, index, { type, id, data })
}

function dropStep(record: MessageRecord): MessageRecord {
  const kept = keyedIndexOf(record.parts, 'step') + 1
  const parts = listToArray(record.parts.items)
  return kept === parts.length ? record : { ...record, parts: keyedFrom(parts.slice(0, kept)) }
}

/** Replaces the part at an index; adds it at the end when the index is -1. */
function put(record: MessageRecord, index: number, part: Part, id = partId(part)): MessageRecord {
  return { ...record, parts: keyedPut(record.parts, index, { id, part }) }
}
