import type { Chunk } from '@throughline/protocol/chunk'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { MessageId } from '@throughline/protocol/ids'
import { formatPosition, type Position } from '@throughline/protocol/position'
import { encodeSse, encodeSseComment } from '@throughline/protocol/sse'
import type { Run } from '@throughline/store/runs'

/** The bytes of an entry on one kind of stream; `undefined` when that stream does not show it. */
export type EncodeEntry = (entry: Entry) => Uint8Array | undefined

// Entries are shared by all viewers of a chat, so each is encoded once per kind of stream, for all of them.
const logFrames = new WeakMap<Entry, Uint8Array>()
const chunkFrames = new WeakMap<Entry, Uint8Array>()

/** Every entry as it is: our own clients' stream. */
export function encodeEntry(epoch: string): EncodeEntry {
  return entry => once(logFrames, entry, () => frame(epoch, entry, entry))
}

/** The chunks of one run, as stock clients read them; sub-agents' chunks travel in an envelope they pass by. */
export function encodeChunks(epoch: string, run: Pick<Run, 'id' | 'answerId'>): EncodeEntry {
  return entry => {
    if (entry.runId !== run.id || entry.chunk.type === 'data-message') return undefined
    return once(chunkFrames, entry, () => frame(epoch, entry, chunkFor(run.answerId, entry)))
  }
}

export function isRunEnd({ runId, messageId, chunk }: Entry, run: Pick<Run, 'id' | 'answerId'>): boolean {
  return runId === run.id && messageId === run.answerId && isEndChunk(chunk)
}

/** The last thing on a chunk stream. */
export const doneFrame = bytes(encodeSse({ data: '[DONE]' }))

export const heartbeatFrame = bytes(encodeSseComment('heartbeat'))

/** Tells a follower that its position is no good, and where the chat stands now. */
export function resetFrame(position: Position): Uint8Array {
  return bytes(encodeSse({ event: 'reset', data: JSON.stringify({ position: formatPosition(position) }) }))
}

function chunkFor(answerId: MessageId, { messageId, chunk }: Entry): Chunk {
  if (messageId === answerId) return chunk
  return { type: 'data-sub-agent', id: messageId, transient: true, data: chunk }
}

function frame(epoch: string, { seq }: Entry, value: Entry | Chunk): Uint8Array {
  return bytes(encodeSse({ id: formatPosition({ epoch, seq }), data: JSON.stringify(value) }))
}

function once(frames: WeakMap<Entry, Uint8Array>, entry: Entry, make: () => Uint8Array): Uint8Array {
  const known = frames.get(entry)
  if (known !== undefined) return known
  const made = make()
  frames.set(entry, made)
  return made
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}
