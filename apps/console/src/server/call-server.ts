import { ChatError, errorFrom } from '@throughline/client'
import type { BodyCheck } from '@throughline/protocol/internal'
import { accessHeaders } from './access.ts'
import { addressOf } from './base-path.ts'
import { serverFetch } from './server-fetch.ts'

/**
 * Sends one request to the server, and returns the JSON of the response. Throws a `ChatError` when the server refuses the
 * request, and when the response does not pass the check.
 */
export async function callServer<Body>(
  check: BodyCheck<Body>,
  ...request: Parameters<typeof sendJson>
): Promise<Body> {
  const response = await acceptedResponse(...request)
  return checkedBody(check, await response.json())
}

/** Sends one request to the server whose response says nothing more. Throws a `ChatError` when the server refuses it. */
export async function tellServer(...request: Parameters<typeof sendJson>): Promise<void> {
  const response = await acceptedResponse(...request)
  // The server may be at work until the end of the response.
  await response.text()
}

async function acceptedResponse(...request: Parameters<typeof sendJson>): Promise<Response> {
  const response = await sendJson(...request)
  if (!response.ok) throw await errorFrom(response)
  return response
}

/** Sends one request to the server, and returns the response, whatever it says. */
export function sendJson(method: string, path: string, body?: unknown): Promise<Response> {
  return serverFetch(addressOf(path), {
    method,
    headers: { ...accessHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** Returns the body of a response. Throws a `ChatError` when it does not pass the check. */
export function checkedBody<Body>(check: BodyCheck<Body>, body: unknown): Body {
  if (check(body)) return body
  throw new ChatError(
    'bad-data',
    'The response is not what this page expects. Reload the page. If it stays so, check the server, and what is between it and this page.',
  )
}
