import { Chat as StockChat } from '@ai-sdk/react'
import { createChat } from '@throughline/client'
import { type Chunk, isMessageId, isRunId } from '@throughline/protocol'
import { encodeChunks, encodeLog } from '@throughline/server/testing'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { type Answer, dataAnswer, entriesOf, textAnswer } from '../answers.ts'
import { compared, gain, type Pair } from '../paired.ts'
import type { Goal, Measurement, Section } from '../report.ts'
import { collectGarbage } from '../timing.ts'

const epoch = 'bench'
/** About the size of one TCP segment: what a page gets at once if it keeps up with the server. */
const pieceBytes = 1_400

const cases: readonly { readonly answer: Answer; readonly goal: Goal }[] = [
  { answer: textAnswer(20_000), goal: { atLeast: 3 } },
  { answer: dataAnswer(2_000), goal: { atLeast: 10 } },
]

/** Measures how bytes of a socket become messages of a page: our client, and the AI SDK's transport with its Chat. */
export async function measureClientPath(): Promise<Section> {
  const measurements: Measurement[] = []
  for (const each of cases) measurements.push(await measureCase(each))
  return {
    title: 'Client: bytes of a socket into messages, time per chunk',
    notes: [
      `Both get one answer as server-sent events in pieces of ${pieceBytes} bytes: ours the log, the AI SDK its own chunks,`,
      'read by DefaultChatTransport and the Chat of @ai-sdk/react. Ours tells its listeners once per turn of the event',
      'loop; the AI SDK once per chunk, as it always does. Both end with the same number of parts and the same text.',
    ],
    columns: { ours: 'ours', other: 'AI SDK' },
    measurements,
  }
}

async function measureCase({ answer, goal }: (typeof cases)[number]): Promise<Measurement> {
  const bytes = { log: logBytes(answer), run: runBytes(answer) }
  const perChunk = 1000 / answer.chunks.length
  const pairs: Pair<number>[] = []
  await readWithOurs(bytes.log)
  await readWithStock(bytes.run)
  for (let round = 0; round < 7; round += 1) {
    collectGarbage()
    const ours = await readWithOurs(bytes.log)
    collectGarbage()
    const other = await readWithStock(bytes.run)
    if (ours.content !== other.content)
      throw new Error(`Two readers of one answer differ: ${ours.content.length} and ${other.content.length}.`)
    pairs.push({ ours: ours.ms * perChunk, other: other.ms * perChunk })
  }
  return compared(answer.name, pairs, { goal, ratioOf: gain })
}

interface Read {
  readonly ms: number
  readonly content: string
}

async function readWithOurs(bytes: Uint8Array): Promise<Read> {
  const fetch = async (url: RequestInfo | URL) =>
    String(url).includes('/log?')
      ? eventStream(bytes, { isOpen: true })
      : Response.json({ messages: [], position: `${epoch}.0` })
  const startedAt = performance.now()
  const chat = createChat({ chatId: 'chat', fetch, onFrame: callback => void setImmediate(callback) })
  const ended = new Promise<void>(resolve => {
    chat.subscribe(() => {
      if (chat.messages.at(-1)?.metadata?.status === 'finished') resolve()
    })
  })
  chat.open()
  await ended
  const ms = performance.now() - startedAt
  chat.close()
  return { ms, content: contentOf(chat.messages.at(-1)?.parts ?? []) }
}

async function readWithStock(bytes: Uint8Array): Promise<Read> {
  const transport = new DefaultChatTransport<UIMessage>({ fetch: async () => eventStream(bytes) })
  const chat = new StockChat<UIMessage>({ transport })
  const startedAt = performance.now()
  await chat.sendMessage({ text: 'Answer.' })
  const ms = performance.now() - startedAt
  if (chat.error !== undefined) throw chat.error
  return { ms, content: contentOf(chat.lastMessage?.parts ?? []) }
}

function contentOf(
  parts: readonly { readonly type: string; readonly text?: unknown; readonly data?: unknown }[],
) {
  return parts.map(({ type, text, data }) => `${type} ${text} ${JSON.stringify(data)}`).join('\n')
}

function logBytes({ chunks }: Answer): Uint8Array {
  return Buffer.concat([...encodeLog(epoch)(entriesOf(finished(chunks), logStart))])
}

function runBytes({ chunks }: Answer): Uint8Array {
  const run = { id: 'run', answerId: 'answer' }
  if (!isRunId(run.id) || !isMessageId(run.answerId)) throw new TypeError('These are not ids.')
  const encode = encodeChunks(
    epoch,
    { id: run.id, answerId: run.answerId },
    { subAgents: 'separate', hasVersionNote: false },
  )
  return Buffer.concat([...encode(entriesOf(finished(chunks), logStart)), Buffer.from('data: [DONE]\n\n')])
}

const logStart = { after: 0, messageId: 'answer' }

/** Returns the chunks with a status in the last one, as our server writes it. */
function finished(chunks: readonly Chunk[]): readonly Chunk[] {
  return chunks.map(chunk =>
    chunk.type === 'finish' ? { ...chunk, messageMetadata: { status: 'finished' } } : chunk,
  )
}

/** Returns a response whose body arrives in pieces. If `isOpen`, the body does not end after the last byte. */
function eventStream(bytes: Uint8Array, { isOpen = false } = {}): Response {
  let offset = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (offset < bytes.length) controller.enqueue(bytes.slice(offset, offset + pieceBytes))
      else if (!isOpen) controller.close()
      offset += pieceBytes
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}
