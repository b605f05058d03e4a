import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Agent } from '@throughline/agents'
import { isChunk, isToolPart, type Message, type Part, toolNameOf } from '@throughline/protocol'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { readAsFold } from '@throughline/testing/http/read-chunks'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect } from 'vitest'

interface ServedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface RemoteTestService extends AsyncDisposable {
  readonly url: string
  /** All requests so far. */
  readonly requests: readonly ServedRequest[]
  /** Resolves when the client has closed a connection. */
  readonly left: Promise<void>
  /** Destroys all connections, as if the program had died. */
  kill(): void
}

/** Starts a service on a free port. `respond` gets the JSON body of every request. */
export async function startRemoteService(
  respond: (body: unknown, response: ServerResponse) => Promise<void>,
): Promise<RemoteTestService> {
  const requests: ServedRequest[] = []
  const left = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    response.once('close', left.resolve)
    const body: unknown = await json(request)
    requests.push({ headers: request.headers, body })
    // It fails when the client has left, which tests do on purpose.
    await respond(body, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}/chat`,
    requests,
    left: left.promise,
    kill: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Starts a service that sends these SSE events to everybody. With `isHeld`, it then sends nothing more. */
export function startSseService(
  events: readonly string[],
  { isHeld = false }: { readonly isHeld?: boolean } = {},
): Promise<RemoteTestService> {
  return startRemoteService(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) response.write(event)
    if (isHeld) await once(response, 'close')
    else response.end()
  })
}

/** Asks an agent through a real server. Checks that the saved answer is what was shown, and returns it. */
export async function answerOf(agent: Agent): Promise<Message> {
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  return await savedAsShown(server.url, await stream.rest())
}

/** Asks an agent, does something when this text has been shown, and returns the answer as it was shown and saved. */
export async function answerAfter(agent: Agent, shown: string, act: () => unknown): Promise<Message> {
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until(shown)
  await act()
  return await savedAsShown(server.url, await stream.rest())
}

/** Asks an agent, stops it when this text has been shown, and returns the answer as it was shown and saved. */
export async function answerStoppedAfter(agent: Agent, shown: string): Promise<Message> {
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until(shown)
  await stop(server.url)
  return await savedAsShown(server.url, await stream.rest())
}

/** Returns what a person sees of an answer, one line for each part. */
export function linesOf({ parts }: Message): readonly string[] {
  return parts.flatMap(lineOf)
}

async function savedAsShown(url: string, bytes: Buffer): Promise<Message> {
  const answer = await loadAnswer(url)
  expect(readAsFold(valuesOf(bytes).filter(isChunk), answer.id)).toEqual(answer)
  return answer
}

function lineOf(part: Part): readonly string[] {
  if (part.type === 'text') return 'text' in part ? [`${part.text}`] : []
  if (part.type === 'reasoning') return 'text' in part ? [`(${part.text})`] : []
  if (!isToolPart(part)) return []
  const result =
    part.state === 'output-available' ? JSON.stringify(part.output) : (part.errorText ?? part.state)
  return [`${toolNameOf(part)} ${JSON.stringify(part.input)} -> ${result}`]
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The service has no port.')
  return address.port
}
