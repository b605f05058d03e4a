import { RemoteServiceError } from '../errors/agent-errors.ts'
import { RunLeft } from '../run/run-stopped.ts'
import type { RemoteService } from './remote-service.ts'
import { type RemoteConversation, throughlineRequestBody } from './request-bodies.ts'
import { type ServiceRequest, serviceBytes } from './service-bytes.ts'
import { type SseMessage, sseMessages } from './sse-messages.ts'

const firstPauseMs = 100
const maxPauseMs = 3_000
const stopTimeoutMs = 5_000

/**
 * Asks another Throughline, and yields the SSE events of its answer. When the connection breaks, it goes on after the last
 * event with the next connection, so nothing is lost and nothing comes twice. When the signal aborts, the other Throughline
 * is told to stop: it does not stop when a connection is closed.
 */
export async function* throughlineMessages(
  service: RemoteService,
  conversation: RemoteConversation,
  signal: AbortSignal,
): AsyncGenerator<SseMessage, void, undefined> {
  let lastId: string | undefined
  let pauseMs = firstPauseMs
  let brokenAt: number | undefined
  try {
    for (;;) {
      try {
        const request = requestAfter(lastId, service, conversation)
        for await (const message of sseMessages(
          serviceBytes(service, { ...request, signal }),
          service.errors,
        )) {
          if (message.id !== undefined) lastId = message.id
          pauseMs = firstPauseMs
          brokenAt = undefined
          yield message
        }
        throw service.errors.cut()
      } catch (error) {
        if (signal.aborted || !isTemporary(error, lastId)) throw error
        brokenAt ??= performance.now()
        const isTooLate = performance.now() - brokenAt + pauseMs > service.reconnectMs
        // The person needs to know that the answer is not whole. How the last attempt failed does not matter to them.
        if (isTooLate) throw lastId === undefined ? error : service.errors.cut()
      }
      await pause(pauseMs, signal)
      pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    }
  } finally {
    // Another process that goes on with the run follows this answer, too.
    if (signal.aborted && !(signal.reason instanceof RunLeft)) await tellToStop(service, conversation)
  }
}

/**
 * Returns the request that continues after an event. Before the first event it is the question. The other side recognises
 * a question that is sent again.
 */
function requestAfter(
  lastId: string | undefined,
  service: RemoteService,
  conversation: RemoteConversation,
): Omit<ServiceRequest, 'signal'> {
  if (lastId === undefined) {
    const body = { ...throughlineRequestBody(conversation), ...service.body }
    return { method: 'POST', url: addressOf(service, ''), body }
  }
  const url = addressOf(service, `/${conversation.chatId}/stream`)
  return { method: 'GET', url, headers: { 'last-event-id': lastId } }
}

// Sub-agents of the other side are calls of a tool here. A call that waits for a person over there keeps the stream open.
function addressOf({ url }: RemoteService, path: string): URL {
  const address = new URL(url)
  address.pathname = address.pathname.replace(/\/$/, '') + path
  address.searchParams.set('subAgents', 'hidden')
  address.searchParams.set('approvals', 'wait')
  return address
}

const temporaryStatuses: readonly (number | undefined)[] = [429, 502, 503, 504]

function isTemporary(error: unknown, lastId: string | undefined): boolean {
  if (!(error instanceof RemoteServiceError)) return false
  switch (error.code) {
    case 'closed':
    case 'cut':
    case 'silent':
      return true
    // A service that was never there is most likely not there at all. The person should hear of it at once.
    case 'unreachable':
      return lastId !== undefined
    case 'status':
      return lastId !== undefined && temporaryStatuses.includes(error.status)
    default:
      return false
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', resolve, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', resolve)
  signal.throwIfAborted()
}

async function tellToStop(service: RemoteService, { chatId }: RemoteConversation): Promise<void> {
  try {
    const response = await fetch(addressOf(service, `/${chatId}/stop`), {
      method: 'POST',
      headers: { ...service.headers, 'content-type': 'application/json' },
      body: '{}',
      redirect: 'manual',
      signal: AbortSignal.timeout(stopTimeoutMs),
    })
    await response.body?.cancel()
  } catch {
    // The answer has been stopped here. Nobody waits for the other side any more.
  }
}
