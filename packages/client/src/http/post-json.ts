import { parseJson, pause } from '@throughline/protocol/internal'
import { type BackoffOptions, backoffMs } from './backoff.ts'
import { watchStall } from './body-pieces.ts'
import { asChatError, errorFrom, isCut } from './chat-error.ts'

/** How to send a request and when to send it again. */
export interface AskOptions extends RequestOptions {
  /** How long the server may be silent, in milliseconds. Default: 60,000. */
  readonly idleMs?: number | undefined
  /** How often to send a request again when the connection broke or the server failed. Default: 6. */
  readonly maxRetries?: number | undefined
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
}

/**
 * Sends a POST request and returns the JSON of the response; `undefined` when it is not JSON. Sends the request again
 * when the connection breaks, so it must be idempotent. Throws a `ChatError`, or the signal's reason.
 */
export async function askJson(path: string, body: unknown, options: AskOptions): Promise<unknown> {
  const { signal = new AbortController().signal, maxRetries = 6 } = options
  for (let retries = 0; ; retries += 1) {
    signal.throwIfAborted()
    const watch = watchStall(signal, options.idleMs ?? 60_000)
    try {
      const response = await postJson(path, body, { ...options, signal: watch.signal })
      return parseJson(await response.text())
    } catch (error) {
      signal.throwIfAborted()
      const failure = asChatError(error)
      if (!isCut(failure) || retries >= maxRetries) throw failure
    } finally {
      watch.stop()
    }
    await pause(backoffMs(retries, options.backoff), signal)
  }
}

/** Where the server is, and how to reach it. */
export interface RequestOptions {
  /** The address of the server, without a slash at the end. Default: the address that the page came from. */
  readonly url?: string | undefined
  /** Returns headers for each request, such as `authorization`. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
}

/** Sends a POST request. Returns the response when its status is 2xx; throws a `ChatError` for any other status. */
export async function postJson(
  path: string,
  body: unknown,
  { url = '', headers, fetch = globalThis.fetch, signal }: RequestOptions,
): Promise<Response> {
  const given = new Headers(headers?.())
  given.set('content-type', 'application/json')
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: given,
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) throw await errorFrom(response)
  return response
}
