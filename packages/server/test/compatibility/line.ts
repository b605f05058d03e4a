import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** What a client asked the server for. */
export interface LineRequest {
  readonly method: string
  readonly path: string
  readonly lastEventId: string | undefined
  readonly body: string
}

/** The way from a client to a server. */
export interface Line extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly LineRequest[]
  /** Breaks all connections off. The next ones are sound. */
  cut(): void
}

export async function startLine(target: string): Promise<Line> {
  const requests: LineRequest[] = []
  const server = createServer((incoming, outgoing) => {
    // A side that goes, or is cut off, takes the other one with it.
    pass(target, incoming, { outgoing, requests }).catch(() => outgoing.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Passed {
  readonly outgoing: ServerResponse
  readonly requests: LineRequest[]
}

async function pass(
  target: string,
  incoming: IncomingMessage,
  { outgoing, requests }: Passed,
): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = incoming
  const body = await buffer(incoming)
  const lastEventId = headers['last-event-id']
  requests.push({ method, path, lastEventId: lastEventId?.toString(), body: body.toString() })
  const asked = request(new URL(path, target), { method, headers, agent: false })
  outgoing.once('close', () => asked.destroy())
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('error', reject)
  })
  asked.end(body)
  const answer = await answered
  outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
  outgoing.flushHeaders()
  await pipeline(answer, outgoing)
}

/** How a client came back, by what it asked for. */
export type Return = 'continues' | 'replays' | 'asks again' | 'gives up'

export function returnIn(before: readonly LineRequest[], after: readonly LineRequest[]): Return {
  const stream = after.find(isStream)
  if (stream === undefined) return 'gives up'
  if (isFromPosition(stream)) return 'continues'
  if (stream.method === 'GET') return 'replays'
  if (questionIn(stream) === undefined || questionIn(stream) !== questionIn(before.find(isStream)))
    throw new Error(`Another question was asked: ${stream.body}`)
  return 'asks again'
}

function isStream({ method, path }: LineRequest): boolean {
  const isRead = method === 'GET' && /(\/log|\/stream|^\/api\/chat)(\?|$)/.test(path)
  return isRead || (method === 'POST' && /^\/(ag-ui|api\/chat|agent\/[\w-]+)(\?|$)/.test(path))
}

function isFromPosition({ path, lastEventId }: LineRequest): boolean {
  return lastEventId !== undefined || /[?&]after=\w+\.\d+/.test(path)
}

/** The id of the person's message. */
function questionIn(asked: LineRequest | undefined): unknown {
  const { messages = [], message_id } = asked === undefined ? {} : JSON.parse(asked.body)
  return message_id ?? messages[0]?.id
}
