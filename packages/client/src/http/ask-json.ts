import { parseJson } from '@throughline/protocol/internal'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { asChatError } from './chat-error.ts'
import { isCut } from './is-cut.ts'
import { postJson, type RequestOptions } from './post-json.ts'
import { watchStall } from './watch-stall.ts'

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
