import { ChannelError, type SendRequest } from '../channel.ts'
import { sign } from './signature.ts'

export interface PostOptions {
  /** The URL to which messages are posted. */
  readonly url: string
  /** Signs outgoing requests. Inbound requests must be signed with it, too. 16 characters or more. */
  readonly secret: string
  readonly fetch?: typeof globalThis.fetch
  readonly now?: () => Date
}

export type PostRequest = Pick<SendRequest, 'target' | 'idempotencyKey' | 'signal'>

/** Posts one signed event with its idempotency key. Returns the key when the receiver has confirmed the event. */
export async function postSigned(
  { url, secret, fetch = globalThis.fetch, now = () => new Date() }: PostOptions,
  { target, idempotencyKey, signal }: PostRequest,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = Buffer.from(JSON.stringify({ id: idempotencyKey, conversation: target, ...fields }))
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-throughline-signature': sign(body, { secret, now: now() }),
    },
    body,
    signal,
    // Redirects are not followed: the operator has named this address and no other.
    redirect: 'manual',
  }).catch(error => {
    throw new ChannelError('unavailable', `The webhook cannot be reached: ${reasonOf(error)}.`)
  })
  // Only the status counts. A body that breaks off changes nothing.
  await response.body?.cancel().catch(() => undefined)
  if (response.ok) return idempotencyKey
  throw new ChannelError(
    isTemporary(response.status) ? 'unavailable' : 'refused',
    `The webhook responded with ${response.status}.`,
    retryAfterMs(response),
  )
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

// The code of the cause tells more than "fetch failed".
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.name : 'unknown'
}
