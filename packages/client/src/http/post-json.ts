import { errorFrom } from './chat-error.ts'

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
