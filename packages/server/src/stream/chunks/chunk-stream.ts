import { type Chunk, encodeSse } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Pieces } from '../bytes/encoded-pages.ts'
import { plainEvent, type SeenEvents } from '../bytes/sse-events.ts'
import type { DirectForm, LateForm, RunForm, WaitingForm } from '../run-form.ts'
import type { ApartSubAgents } from './chunk-projection.ts'
import { encodeChunks } from './encode-chunks.ts'

/** How a stream of chunks shows sub-agents. */
export type SubAgentForm = 'separate' | 'inline' | 'hidden'

/** How a viewer reads a run as chunks. */
export interface ChunkFormOptions {
  readonly seen: SeenEvents
  /** The viewer has the beginning of the message from an earlier stream. It is told that this stream goes on with it. */
  readonly continues?: boolean
  /** The viewer has not said which AI SDK it has. The first chunk tells it how. */
  readonly hasVersionNote?: boolean
}

/** What all forms of chunks have in common: the headers, and how a stream starts and ends. */
export function chunkStream(
  run: Pick<Run, 'answerId'>,
  { continues = false }: Pick<ChunkFormOptions, 'continues'>,
): Pick<RunForm, 'headers' | 'start' | 'end'> {
  const start: Chunk = { type: 'start', messageId: run.answerId }
  return { headers, end: [done], ...(continues && { start: [plainEvent(start)] }) }
}

/** Tells a stock client that the stream consists of AI SDK chunks. */
const headers = { 'x-vercel-ai-ui-message-stream': 'v1' }

const done = Buffer.from(encodeSse({ data: '[DONE]' }))

/** How a stream of chunks begins before its run. */
export const lateChunks: LateForm = {
  headers,
  refusal: ({ message }) => [plainEvent({ type: 'error', errorText: message }), done],
}

/** What the AI SDK sends when an answer goes on after a person's decision: in the next request, in the same message. */
const waitChunks: readonly Chunk[] = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'tool-calls' }]

/** The end of a stream of chunks whose run waits. These chunks are not in the log, so they have no ids. */
export function chunksAtWait(translate: (chunk: Chunk) => readonly Chunk[] = chunk => [chunk]): Pieces {
  return [...waitChunks.flatMap(translate).map(plainEvent), done]
}

/** Only the master's requests are parts of the answer, unless sub-agents' parts are in the answer too. */
export function visibleIn(run: Pick<Run, 'answerId'>, subAgents: SubAgentForm): WaitingForm['isVisible'] {
  return ({ messageId }) => subAgents === 'inline' || messageId === run.answerId
}

/** The options of a form with the chunks of sub-agents apart from the answer, or without them. */
interface ApartFormOptions extends ChunkFormOptions {
  readonly subAgents: ApartSubAgents
}

/** The AI SDK's own chunks. Entries do not depend on each other here, so a viewer can join at any of them. */
export function chunkForm(
  run: Run,
  { seen, subAgents, hasVersionNote = false, ...options }: ApartFormOptions,
): DirectForm {
  return {
    ...chunkStream(run, options),
    encode: encodeChunks(seen.after.epoch, run, { subAgents, hasVersionNote }),
    waiting: { isVisible: visibleIn(run, subAgents), encode: () => chunksAtWait() },
  }
}
