import type { Chunk, MessageRecord } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import { segment } from '../message/segment.ts'
import { closeTools } from '../message/segment-tool.ts'
import { segmentsOf } from '../message/segments-of.ts'

/**
 * Returns the chunks that close what was being written in a message when its process died: text, reasoning, and the
 * inputs of calls. Calls whose input is complete stay open.
 */
export function closeCutMessage(record: MessageRecord): readonly Chunk[] {
  const { segments, chunks } = segment(segmentsOf(record), { type: 'response-done' })
  const isIncomplete = ({ state }: { readonly state: string }) => state === 'input'
  return [...chunks, ...closeTools(segments.calls, serverSentence('input-incomplete'), isIncomplete).chunks]
}
