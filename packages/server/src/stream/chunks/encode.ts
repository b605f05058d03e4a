import type { Chunk } from '@throughline/protocol/chunk'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { MessageId } from '@throughline/protocol/ids'
import { formatPosition, type Position } from '@throughline/protocol/position'
import { encodeSse, encodeSseComment } from '@throughline/protocol/sse'
import { hasAnswer, type Run } from '@throughline/store/runs'

/** The bytes of a page of entries on one kind of stream, in pieces that a slow viewer can hold. */
export type EncodePage = (entries: readonly Entry[]) => readonly Uint8Array[]

interface EncodedPage {
  readonly last: Entry
  readonly runId: string | undefined
  readonly pieces: readonly Uint8Array[]
}

// Viewers of one chat share its entries and, when they keep up, read the same pages: a page is encoded once for
// all of them, and forgotten with its entries.
const pages = {
  log: new WeakMap<Entry, EncodedPage>(),
  envelope: new WeakMap<Entry, EncodedPage>(),
  hidden: new WeakMap<Entry, EncodedPage>(),
}

/** Every entry as it is: our own clients' stream. */
export function encodeLog(epoch: string): EncodePage {
  return entries =>
    once(pages.log, { entries, runId: undefined }, () => entries.map(entry => frame(epoch, entry, entry)))
}

/** The chunks of one run, as stock clients read them; sub-agents' travel in an envelope they pass by, or not at all. */
export function encodeRun(
  epoch: string,
  run: Pick<Run, 'id' | 'answerId'>,
  subAgents: 'envelope' | 'hidden' = 'envelope',
): EncodePage {
  const isShown = ({ messageId }: Entry) => subAgents === 'envelope' || messageId === run.answerId
  return entries =>
    once(pages[subAgents], { entries, runId: run.id }, () =>
      entries
        .filter(entry => isOfRun(entry, run) && isShown(entry))
        .map(entry => frame(epoch, entry, chunkFor(run.answerId, entry))),
    )
}

/** What a run shows: everything of its own but the user's message, which whoever asked for the run has already. */
export function isOfRun({ runId, chunk }: Entry, run: Pick<Run, 'id'>): boolean {
  return runId === run.id && chunk.type !== 'data-message'
}

/** Whether an entry is the last one that a viewer of a run waits for. Without an answer there is nothing to wait for. */
export function isRunEnd(
  { runId, messageId, chunk }: Entry,
  run: Pick<Run, 'id' | 'answerId' | 'kind'>,
): boolean {
  return runId === run.id && (!hasAnswer(run) || (messageId === run.answerId && isEndChunk(chunk)))
}

/** The last thing on a chunk stream. */
export const doneFrame = bytes(encodeSse({ data: '[DONE]' }))

/** What the AI SDK sends when an answer goes on after a person's decision: in the next request, in the same message. */
const waitChunks: readonly Chunk[] = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' }]

/** The end of a chunk stream whose run waits. It is in no log, so it has no ids. */
export const waitFrames = waitFramesFor(chunk => [chunk])

/** The same for a form that cannot send every chunk as it is. */
export function waitFramesFor(shown: (chunk: Chunk) => readonly Chunk[]): readonly Uint8Array[] {
  return [...waitChunks.flatMap(shown).map(unnumbered), doneFrame]
}

/** The first thing on a chunk stream that goes on where another one ended. */
export function goesOnFrame(messageId: MessageId): Uint8Array {
  return unnumbered({ type: 'start', messageId })
}

export const heartbeatFrame = bytes(encodeSseComment('heartbeat'))

/** Tells a follower that its position is no good, and where the chat stands now. */
export function resetFrame(position: Position): Uint8Array {
  return bytes(encodeSse({ event: 'reset', data: JSON.stringify({ position: formatPosition(position) }) }))
}

/** A run's chunk as stock clients get it: a sub-agent's in an envelope. */
export function chunkFor(answerId: MessageId, { messageId, chunk }: Entry): Chunk {
  if (messageId === answerId) return chunk
  return { type: 'data-sub-agent', id: messageId, transient: true, data: chunk }
}

function unnumbered(chunk: Chunk): Uint8Array {
  return bytes(encodeSse({ data: JSON.stringify(chunk) }))
}

function frame(epoch: string, { seq }: Entry, value: Entry | Chunk): Uint8Array {
  return bytes(encodeSse({ id: formatPosition({ epoch, seq }), data: JSON.stringify(value) }))
}

function once(
  known: WeakMap<Entry, EncodedPage>,
  { entries, runId }: { readonly entries: readonly Entry[]; readonly runId: string | undefined },
  encode: () => readonly Uint8Array[],
): readonly Uint8Array[] {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) return []
  const page = known.get(first)
  if (page?.last === last && page.runId === runId) return page.pieces
  const pieces = joined(encode())
  known.set(first, { last, runId, pieces })
  return pieces
}

const maxPieceBytes = 64 * 1024

/** The frames in as few pieces as possible: each is one write. */
export function joined(frames: readonly Uint8Array[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let group: Uint8Array[] = []
  let size = 0
  const close = () => {
    if (size > 0) pieces.push(Buffer.concat(group, size))
    group = []
    size = 0
  }
  for (const each of frames) {
    group.push(each)
    size += each.length
    if (size >= maxPieceBytes) close()
  }
  close()
  return pieces
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text)
}
