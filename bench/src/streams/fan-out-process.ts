import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { createMemoryLogStore, logName } from '@throughline/log'
import {
  type Chunk,
  createEpoch,
  createId,
  type EntryDraft,
  isChatId,
  isMessageId,
  isOwnerId,
  isRunId,
} from '@throughline/protocol'
import {
  encodeLog,
  Heartbeats,
  responseSink,
  type StreamSink,
  sendStream,
  viewLog,
  webSink,
} from '@throughline/server/testing'
import { serveHttp } from '../child.ts'

const entriesPerPage = 10
const pages = 100

/** Sends the same entries to all connected viewers, page by page. */
interface FanOut {
  connect(response: ServerResponse): void
  send(drafts: readonly EntryDraft[]): Promise<void>
}

const ids = { runId: createId(isRunId, 'run'), messageId: createId(isMessageId, 'msg') }
const chat = { ownerId: createId(isOwnerId, 'owner'), chatId: createId(isChatId, 'chat') }
const fanOut = await fanOutOf(process.argv[2])
const viewers = new Set<ServerResponse>()

const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  viewers.add(response)
  response.on('close', () => viewers.delete(response))
  fanOut.connect(response)
})
await serveHttp(server, {
  async play() {
    for (let page = 0; page < pages; page += 1) {
      await fanOut.send(draftsOf())
      // Wait until the page is written. Otherwise a server could join pages, and would do less work than the others.
      await wait(2)
    }
    return pages * entriesPerPage
  },
})

async function fanOutOf(kind: string | undefined): Promise<FanOut> {
  if (kind === 'ours') return viewersOfLog(responseSink)
  if (kind === 'fetch') return viewersOfLog(webBodySink)
  return kind === 'joined'
    ? rawWrites(sseEvents => [Buffer.concat(sseEvents)])
    : rawWrites(sseEvents => sseEvents)
}

async function viewersOfLog(sinkFor: (response: ServerResponse) => StreamSink): Promise<FanOut> {
  const log = createMemoryLogStore()
  const lease = await log.acquire(logName(chat))
  let after = lease.head
  const heartbeats = new Heartbeats({ heartbeatMs: 15_000 })
  return {
    connect(response) {
      const left = new AbortController()
      response.once('close', () => left.abort())
      const pieces = viewLog(log, chat, { after, signal: left.signal, closing: new AbortController().signal })
      sendStream(sinkFor(response), pieces, { heartbeats, maxStallMs: 30_000 }).catch(error =>
        response.destroy(error),
      )
    },
    async send(drafts) {
      const entries = await log.append(lease, after.seq, drafts)
      after = { ...after, seq: entries.at(-1)?.seq ?? after.seq }
    },
  }
}

/** Writes to the body of a web-standard response, and copies it to Node's response, as frameworks do. */
function webBodySink(response: ServerResponse): StreamSink {
  const { sink, body } = webSink({ onClose: () => undefined, onFinish: () => undefined })
  response.once('close', () => sink.cut())
  copy(body, response).catch(() => response.destroy())
  return sink
}

async function copy(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    if (!response.write(next.value)) await once(response, 'drain')
  response.end()
}

/** The minimum of work: encodes once, and writes the same bytes to every response. */
function rawWrites(piecesOf: (sseEvents: readonly Uint8Array[]) => readonly Uint8Array[]): FanOut {
  const encode = encodeLog(createEpoch())
  let seq = 0
  return {
    connect: () => undefined,
    async send(drafts) {
      const sseEvents = drafts.flatMap(draft => {
        seq += 1
        return encode([{ seq, at: Date.now(), ...draft }])
      })
      const pieces = piecesOf(sseEvents)
      for (const response of viewers) for (const piece of pieces) response.write(piece)
    },
  }
}

function draftsOf(): readonly EntryDraft[] {
  const chunk: Chunk = { type: 'text-delta', id: 'text', delta: 'twelve chars' }
  return Array.from({ length: entriesPerPage }, () => ({ ...ids, chunk }))
}
