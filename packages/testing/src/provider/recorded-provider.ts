import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'

type SseStyle = 'openai' | 'anthropic' | 'google'

/** The provider's response to one request. `name` is a file in `recordings/`, without `.jsonl`. */
export type RecordedResponse =
  /**
   * Sends the whole recording. With `chunkBytes`, in pieces of that size: a piece may end inside an event or a
   * character.
   */
  | {
      readonly type: 'recording'
      readonly name: string
      readonly style: SseStyle
      readonly chunkBytes?: number
    }
  /** Sends an HTTP status such as 429 or 500. A string body is sent unchanged, any other body as JSON. */
  | {
      readonly type: 'status'
      readonly status: number
      readonly body: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Sends the first events of a recording and then destroys the socket. */
  | { readonly type: 'cut'; readonly name: string; readonly style: SseStyle; readonly afterEvents: number }
  /** Sends status 200, the SSE content type and this text, and then ends the response properly. */
  | { readonly type: 'garbage'; readonly text: string }
  /** Sends the first events of a recording, and then nothing until the client closes the connection. */
  | {
      readonly type: 'silence'
      readonly name: string
      readonly style: SseStyle
      readonly afterEvents: number
    }

/** Disposing destroys every open connection, as if the provider died. A test may do that early. */
export interface RecordedProvider extends AsyncDisposable {
  /** The base URL for an AI SDK provider, without a slash at the end. */
  readonly url: string
  /** The parsed bodies of the requests so far. Request k got response k of the script. */
  readonly requests: readonly unknown[]
  /** Returns how many connections are open. */
  connections(): Promise<number>
}

/** Starts a model provider on a real socket. It sends response k to POST k, whatever the path is. */
export async function startRecordedProvider(script: readonly RecordedResponse[]): Promise<RecordedProvider> {
  // All recordings are read first, so that a wrong name fails here and not in the code under test.
  const answers = await Promise.all(script.map(prepareAnswer))
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    // It fails only when the client has left, which tests do on purpose: there is nobody to tell.
    answerRequest({ request, response, requests, answers }).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: urlOf(server),
    requests,
    connections: () => promisify(server.getConnections).call(server),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Answer = (response: ServerResponse) => Promise<void>

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requests: unknown[]
  readonly answers: readonly Answer[]
}

async function answerRequest({ request, response, requests, answers }: Exchange): Promise<void> {
  if (request.method !== 'POST') {
    return sendText(response, 405, `The recorded provider answers POST only, not ${request.method}.`)
  }
  const body = await text(request)
  const parsed = parseJson(body)
  if (parsed.status === 'failed') {
    return sendText(response, 400, `The request body is not JSON: ${body.slice(0, 200)}`)
  }
  const answer = answers[requests.length]
  requests.push(parsed.value)
  if (answer === undefined) {
    return sendText(
      response,
      500,
      `Request ${requests.length} has no recorded response: the script has ${answers.length}. Add one to the script.`,
    )
  }
  return answer(response)
}

async function prepareAnswer(recorded: RecordedResponse): Promise<Answer> {
  switch (recorded.type) {
    case 'recording': {
      const { style, chunkBytes } = recorded
      const frames = await readFrames(recorded.name, style)
      const body = Buffer.from(frames.join('') + (style === 'openai' ? 'data: [DONE]\n\n' : ''))
      const pieces = chunkBytes === undefined ? [body] : split(body, chunkBytes)
      return response => sendPieces(response, pieces)
    }
    case 'status':
      return response => sendStatus(response, recorded)
    case 'cut': {
      const frames = await readFirstFrames(recorded)
      return async response => {
        await writeFrames(response, frames)
        response.socket?.destroy()
      }
    }
    case 'garbage':
      return response => sendPieces(response, [Buffer.from(recorded.text)])
    case 'silence': {
      const frames = await readFirstFrames(recorded)
      return async response => {
        await writeFrames(response, frames)
        if (!response.destroyed) await once(response, 'close')
      }
    }
    default:
      return recorded satisfies never
  }
}

async function readFirstFrames(part: {
  readonly name: string
  readonly style: SseStyle
  readonly afterEvents: number
}): Promise<readonly string[]> {
  const frames = await readFrames(part.name, part.style)
  if (part.afterEvents >= frames.length) {
    throw new RangeError(
      `Recording ${part.name} has ${frames.length} events: it cannot break off after ${part.afterEvents}. Choose fewer.`,
    )
  }
  return frames.slice(0, part.afterEvents)
}

async function readFrames(name: string, style: SseStyle): Promise<readonly string[]> {
  const recording = await readFile(new URL(`./recordings/${name}.jsonl`, import.meta.url), 'utf8')
  const events = recording.split('\n').filter(line => line !== '')
  return events.map(event => `${style === 'anthropic' ? `event: ${typeOf(event)}\n` : ''}data: ${event}\n\n`)
}

function typeOf(event: string): string {
  const value: unknown = JSON.parse(event)
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
    return value.type
  }
  throw new TypeError(`An event of style anthropic needs a type, which this has not: ${event.slice(0, 200)}`)
}

function split(bytes: Buffer, size: number): readonly Buffer[] {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`chunkBytes must be 1 or more, not ${size}.`)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

async function sendPieces(response: ServerResponse, pieces: readonly Buffer[]): Promise<void> {
  await startEvents(response)
  for (const piece of pieces) await write(response, piece)
  response.end()
}

async function writeFrames(response: ServerResponse, frames: readonly string[]): Promise<void> {
  await startEvents(response)
  for (const frame of frames) await write(response, Buffer.from(frame))
}

async function startEvents(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  await setImmediate()
}

// Waits until the piece has left the process, and then for one turn of the event loop, in which a client in this process
// reads it. Otherwise the socket may join pieces, and a cut may overtake the events before it.
async function write(response: ServerResponse, piece: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.write(piece, error => (error ? reject(error) : resolve()))
  })
  await setImmediate()
}

async function sendStatus(
  response: ServerResponse,
  { status, body, headers }: Extract<RecordedResponse, { type: 'status' }>,
): Promise<void> {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}

function sendText(response: ServerResponse, status: number, body: string): Promise<void> {
  return sendStatus(response, { type: 'status', status, body })
}

type Parsed = { readonly status: 'parsed'; readonly value: unknown } | { readonly status: 'failed' }

function parseJson(body: string): Parsed {
  try {
    return { status: 'parsed', value: JSON.parse(body) }
  } catch {
    return { status: 'failed' } // The caller says what was wrong, with the body at hand.
  }
}

function urlOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') {
    throw new TypeError(`Expected an address with a port, not ${address}.`)
  }
  return `http://${address.address}:${address.port}`
}
