import { errorFrom } from './chat-error.ts'

export interface RequestOptions {
  /** Where the server is; by default where the page came from. */
  readonly url?: string | undefined
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly signal?: AbortSignal | undefined
}

/** The server's answer, which is a good one: anything else is thrown as what it says of itself. */
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
