import { isMessageId, isRunId, type MessageId, type RunId } from '../message/ids.ts'
import { isRecord } from '../values/fields.ts'
import { parseJson } from '../values/json.ts'
import { type Chunk, chunkProblem, isChunk, isUnknownChunk } from './chunk.ts'

/** A chunk that is to be appended to a chat's log. It has no number yet. */
export interface EntryDraft {
  /** The run that writes the chunk. */
  readonly runId: RunId
  /** The message that the chunk belongs to. */
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** A draft with its number. This is all that `fold` needs. */
export interface NumberedDraft extends EntryDraft {
  /** The position in the log: 1, 2, 3, … without gaps. */
  readonly seq: number
}

/** A chunk in a chat's log. */
export interface Entry extends NumberedDraft {
  /**
   * When the entry was written, in milliseconds since 1970, by the writer's clock. For people to read. Clocks can be
   * wrong, so never sort by it: `seq` is the order.
   */
  readonly at: number
}

/** What `parseEntry` returns. `problem` says in words what is wrong. */
export type ParsedEntry =
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'invalid'; readonly problem: string }

/** Reads an entry from JSON, as the wire carries it. Never throws: the result says what is wrong. */
export function parseEntry(json: string): ParsedEntry {
  const value = parseJson(json)
  if (!isRecord(value)) return { type: 'invalid', problem: 'an entry must be a JSON object' }
  const { seq, at, runId, messageId, chunk } = value
  if (!isCount(seq) || seq === 0 || !isCount(at) || !isRunId(runId) || !isMessageId(messageId)) {
    return { type: 'invalid', problem: 'an entry needs valid ids and numbers' }
  }
  const isKnown = isChunk(chunk)
  if (!isKnown && !isUnknownChunk(chunk)) return { type: 'invalid', problem: chunkProblem(chunk) ?? '' }
  // A chunk type of a newer version changes nothing that we show. But its entry has a number, and `fold` needs it: a
  // missing number is a gap.
  const read: Chunk = isKnown ? chunk : { type: 'data-unknown', data: chunk, transient: true }
  return { type: 'entry', entry: { seq, at, runId, messageId, chunk: read } }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Returns whether a chunk ends its message. No chunk of that message follows it, except metadata that comes late. */
export function isEndChunk(chunk: Chunk): boolean {
  return chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error'
}
