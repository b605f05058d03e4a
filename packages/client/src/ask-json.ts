import { parseJson } from '@throughline/protocol/parse-json'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { asChatError } from './chat-error.ts'
import { isCut } from './is-cut.ts'
import { postJson, type RequestOptions } from './post-json.ts'
import { watchStall } from './watch-stall.ts'

export interface AskOptions extends RequestOptions {
  /** How long the server may be silent, in milliseconds: 60,000. */
  readonly idleMs?: number | undefined
  /** How often a request that was cut is sent again: 6 times. */
  readonly maxRetries?: number | undefined
  readonly backoff?: BackoffOptions | undefined
}

/**
 * Posts, and returns the JSON that comes back; `undefined` when it is none. A request that was cut is sent again, so this
 * is only for what may be asked twice. Throws a `ChatError`, or the signal's reason.
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
