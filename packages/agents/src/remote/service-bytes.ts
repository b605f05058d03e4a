import { RemoteServiceError } from '../errors/agent-errors.ts'
import type { RemoteService } from './remote-service.ts'

/** A request to a service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
  readonly signal: AbortSignal
}

/**
 * Sends a request to the service and yields the bytes of its stream. Any address is allowed, because the operator has
 * chosen it. Redirects are not followed, because the headers may have secrets. Throws a `RemoteServiceError`, or the
 * reason of the signal.
 */
export async function* serviceBytes(
  { errors, headers, maxSilenceMs }: RemoteService,
  { signal, ...request }: ServiceRequest,
): AsyncGenerator<Uint8Array, void, undefined> {
  const silence = new AbortController()
  const startTimer = () => setTimeout(() => silence.abort(), maxSilenceMs)
  let timer = startTimer()
  let hasBegun = false
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...headers, ...jsonHeaders(request), ...request.headers, accept: 'text/event-stream' },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, silence.signal]),
    })
    const body = await streamOf(response)
    if (body === undefined) throw response.ok ? errors.noStream() : errors.status(response.status)
    hasBegun = true
    for await (const piece of body) {
      // The reader of these bytes may take its time. That is no silence of the service.
      clearTimeout(timer)
      yield piece
      timer = startTimer()
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof RemoteServiceError) throw error
    if (silence.signal.aborted) throw errors.silent(maxSilenceMs)
    // The error of `fetch` is dropped: only its code is known to have no address and no header in it.
    const systemCode = systemCodeOf(error)
    if (hasBegun) throw errors.cut()
    throw closedCodes.includes(systemCode) ? errors.closed() : errors.unreachable(systemCode)
  } finally {
    clearTimeout(timer)
  }
}

const closedCodes: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** Returns the body of a response when it is an event stream. Lets go of any other body. */
async function streamOf(response: Response): Promise<ReadableStream<Uint8Array> | undefined> {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  if (response.ok && isStream && response.body !== null) return response.body
  await response.body?.cancel().catch(() => undefined)
  return undefined
}

function jsonHeaders({ body }: Pick<ServiceRequest, 'body'>): Readonly<Record<string, string>> {
  return body === undefined ? {} : { 'content-type': 'application/json' }
}

function systemCodeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined
}
