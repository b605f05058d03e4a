import { type Chunk, encodeSse } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Pieces } from '../pieces.ts'
import type { RunForm, WaitingForm } from '../run-form.ts'
import { plainEvent, type SeenEvents } from '../sse-events.ts'

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
