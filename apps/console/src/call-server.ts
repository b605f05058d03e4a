import { errorFrom } from '@throughline/client'
import { addressOf } from './base-path.ts'
import { serverFetch } from './server-fetch.ts'
import { accessHeaders } from './settings/access.ts'

/** Sends one request to the server, and returns the JSON of the response. Throws a `ChatError`. */
export async function callServer(method: string, path: string, body?: unknown) {
  const response = await serverFetch(addressOf(path), {
    method,
    headers: { ...accessHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await errorFrom(response)
  return response.status === 204 ? undefined : response.json()
}
