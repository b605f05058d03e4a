import { logName, readBetween } from '@throughline/log'
import { type ChatKey, type Entry, ProblemError } from '@throughline/protocol'
import { hasAnswer } from '@throughline/store'
import { chunksAfter, countEvents } from '../../stream/chunks/chunks-after.ts'
import { missedUiEvent, withoutMissedUiEvents } from '../../stream/missed-ui-events.ts'
import type { DirectForm } from '../../stream/run-form.ts'
import { isRunEnd, runStart } from '../../stream/run-pages.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatIdFrom } from '../request/requests.ts'
import { presenceOf } from '../respond/respond-with-stream.ts'
import { streamRun } from '../respond/stream-run.ts'
import { parameter, type StreamForm } from '../respond/wire-form.ts'
import { type PositionInRun, startOfActiveRun } from './position-in-run.ts'
import { chunkFormOf } from './stream-chat.ts'
import { findStream } from './stream-id.ts'

interface AskedFromIndex extends StreamForm {
  /** Of a stream (`x-workflow-run-id`), or of a chat: then its active run is meant. */
  readonly id: string
  /** How many chunks the client has. A negative number counts from the end of what there is now. */
  readonly startIndex: number
}

/** A stream whose chunks are counted. */
interface CountedStream extends PositionInRun {
  readonly insteadOfMissed?: (entry: Entry) => readonly Entry[]
}

/** Responds with a stream from one of its chunks on. Returns `undefined` when the chat has no active run. */
export async function streamFromIndex(
  context: HttpContext,
  services: Services,
  asked: AskedFromIndex,
): Promise<Response | undefined> {
  const { id, startIndex, approvals } = asked
  const ownerId = context.get('ownerId')
  const stream = id.includes('~')
    ? await namedStream(services, ownerId, id)
    : await streamOfChat(services, { ownerId, chatId: chatIdFrom(id) }, startIndex)
  if (stream === undefined) return undefined
  const { run, after, joinedAt, insteadOfMissed } = stream
  const presence = presenceOf(context, services, run)
  const count = startIndex < 0 ? await countChunks(services, stream, chunkFormOf({ ...asked, ...stream })) : 0
  const chunks = Math.max(0, count + startIndex)
  return streamRun(context, services, {
    run,
    after,
    joinedAt,
    insteadOfMissed,
    approvals,
    presence,
    form: chunksAfter(chunkFormOf({ ...asked, ...stream }), { run, chunks }),
    // With this the client finds out which chunk is the first one.
    headers: startIndex < 0 ? { 'x-workflow-stream-tail-index': String(count - 1) } : {},
  })
}

async function namedStream(
  services: Services,
  ownerId: ChatKey['ownerId'],
  id: string,
): Promise<CountedStream> {
  const found = await findStream(services, ownerId, id)
  if (found !== undefined) return found
  throw new ProblemError(
    404,
    'stream-not-found',
    `There is no stream ${JSON.stringify(id.slice(0, 200))}. Send the message again, or load the messages of the chat.`,
  )
}

/**
 * Returns the stream of the active run. A client that has chunks already may have missed the end of the run, so it gets
 * the last run if none is active.
 */
async function streamOfChat(
  services: Services,
  chat: ChatKey,
  startIndex: number,
): Promise<CountedStream | undefined> {
  const active = await startOfActiveRun(services, chat)
  // The place of a missed UI event is kept, because the client counts from here on.
  if (startIndex <= 0) return active && { ...active, insteadOfMissed: missedUiEvent }
  if (active !== undefined) return { run: active.run, after: active.after }
  const { store } = services
  if ((await store.chats.get(chat)) === undefined) return undefined
  const name = logName(chat)
  const { epoch, seq } = await store.log.open(name)
  const [last] = seq === 0 ? [] : await store.log.read(name, { epoch, seq: seq - 1 }, 1)
  const run = last && (await store.runs.get(chat.ownerId, last.runId))
  return run && hasAnswer(run) ? { run, after: await runStart(store.log, run) } : undefined
}

/** Returns how many chunks the stream has by now. */
async function countChunks(
  { store }: Services,
  { run, after, joinedAt = 0, insteadOfMissed }: CountedStream,
  form: DirectForm,
): Promise<number> {
  const name = logName(run)
  const { seq: upTo } = await store.log.open(name)
  const begin = form.readsWholeRun === true ? { ...after, seq: run.afterSeq } : after
  let count = countEvents(form.start ?? [])
  for await (const page of readBetween(store.log, name, { after: begin, upTo })) {
    const end = page.findIndex(entry => isRunEnd(entry, run))
    const shown = end === -1 ? page : page.slice(0, end + 1)
    for (const part of withoutMissedUiEvents(shown, { joinedAt, instead: insteadOfMissed }))
      count += countEvents(form.encode(part))
    if (end !== -1) break
  }
  return count
}

/**
 * Reads `?startIndex=`, with which `WorkflowChatTransport` of the AI SDK comes back: how many chunks of the stream it has.
 * A negative number counts from the end of what there is now. Returns `undefined` when it is missing. Throws a problem for
 * anything but a whole number, and for the data stream, which has no chunks.
 */
export function startIndexFrom(context: HttpContext, { form }: StreamForm): number | undefined {
  const given = parameter(context, 'startIndex')
  if (given === undefined) return undefined
  const index = Number(given)
  if (!/^-?\d+$/.test(given) || !Number.isSafeInteger(index)) {
    throw new ProblemError(
      400,
      'invalid-start-index',
      `"startIndex=${given.slice(0, 100)}" is not a whole number. Send how many chunks of the stream you have, or a negative number to count from its end.`,
    )
  }
  if (form !== 'data-stream') return index
  throw new ProblemError(
    400,
    'unsupported-position',
    'A data stream can be read from its beginning only. Leave "startIndex" out.',
  )
}
