import { isEndChunk } from '@throughline/protocol'
import { entryIn } from '@throughline/protocol/history'
import { submit } from '../http/chat-requests.ts'
import { SseBytes } from '../http/sse-bytes.ts'
import { type ChildServer, startChildServer } from '../server/child-server.ts'

export interface Disturbance {
  /** What happens to the node of a run: `kill` is SIGKILL, `pause` is SIGSTOP until another node has the run. */
  readonly how: 'kill' | 'pause'
  /** How often. Each time takes about 20 seconds. */
  readonly count: number
  /** The database that the nodes share. */
  readonly databaseUrl: string
  /** Where the nodes keep what is not in the database. */
  readonly folder: string
}

/** What a viewer on another node saw of one answer. */
export interface SeenAnswer {
  /** From the death of the run's node to the end of its answer, in milliseconds. */
  readonly takeoverMs: number
  /** The viewer's SSE events, up to the end of the answer. */
  readonly seen: string
  /** The same from a viewer that came later, on the node that had the run if it was only paused. */
  readonly readAgain: string
  /** The numbers of the entries. */
  readonly numbers: readonly number[]
  /** How many entries end a message, and whether the last entry does. */
  readonly ends: number
  readonly isEndLast: boolean
}

/**
 * Starts three real node processes on one database. Again and again lets one of them answer, disturbs it in the middle of
 * its answer, and watches from another node until the answer has its end.
 */
export async function disturbNodes(options: Disturbance): Promise<readonly SeenAnswer[]> {
  await using opened = new AsyncDisposableStack()
  const start = async () =>
    opened.use(await startChildServer(options.folder, { DATABASE_URL: options.databaseUrl }))
  const nodes = [await start(), await start(), await start()]
  const answers: SeenAnswer[] = []
  for (let round = 0; round < options.count; round += 1) {
    const [writer, viewer] = [nodes.shift(), nodes[0]]
    if (writer === undefined || viewer === undefined) throw new RangeError('There are too few nodes.')
    answers.push(await disturbOnce(options, { writer, viewer, chatId: `chat-${round}` }))
    nodes.push(options.how === 'kill' ? await start() : writer)
  }
  return answers
}

interface Round {
  readonly writer: ChildServer
  readonly viewer: ChildServer
  readonly chatId: string
}

async function disturbOnce({ how }: Disturbance, { writer, viewer, chatId }: Round): Promise<SeenAnswer> {
  const response = await submit(writer.url, { chatId, text: 'Show me markdown with code and a table' })
  if (!response.ok) throw new Error(`A message was refused: ${await response.text()}`)
  await using live = new SseBytes(await fetch(`${viewer.url}/api/chats/${chatId}/log`))
  await live.until('"type":"text-delta"')
  const diedAt = performance.now()
  if (how === 'kill') await writer.end('SIGKILL')
  else writer.pause()
  const seen = await untilEnd(live)
  const takeoverMs = performance.now() - diedAt
  if (how === 'pause') writer.resume()
  // A node that goes on after a pause tries to write the rest of the answer before it can serve this request.
  const later = how === 'pause' ? writer : viewer
  await using again = new SseBytes(await fetch(`${later.url}/api/chats/${chatId}/log`))
  const readAgain = await untilEnd(again)
  const entries = again.events.map(entryIn)
  return {
    takeoverMs,
    seen,
    readAgain,
    numbers: entries.map(({ seq }) => seq),
    ends: entries.filter(({ chunk }) => isEndChunk(chunk)).length,
    isEndLast: entries.slice(-1).some(({ chunk }) => isEndChunk(chunk)),
  }
}

async function untilEnd(stream: SseBytes): Promise<string> {
  while (!stream.events.map(entryIn).some(({ chunk }) => isEndChunk(chunk))) await stream.more()
  return stream.events.map(({ id, data }) => `${id} ${data}`).join('\n')
}
