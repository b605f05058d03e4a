import { isId } from '@throughline/protocol/ids'
import { type KeysOf, unknownKey } from '@throughline/protocol/unknown-key'
import { z } from 'zod'
import {
  type Channel,
  ChannelError,
  type HookRequest,
  type HookResponse,
  type Inbox,
  type SendRequest,
} from '../channel.ts'
import { isSigned, sign } from './signature.ts'

export interface WebhookOptions {
  /** Where blocks are posted to. */
  readonly url: string
  /** Signs what goes out, and is asked of what comes in. */
  readonly secret: string
  /** The senders who may start a run, by their unchangeable id; everybody who has the secret when left out. */
  readonly allowSenders?: readonly string[]
  readonly maxChars?: number
  readonly fetch?: typeof globalThis.fetch
  readonly now?: () => Date
}

/**
 * Talks with any program over HTTP: signed POSTs in both directions. What goes out carries an `idempotency-key`, so
 * that a receiver which remembers its keys shows nothing twice, whatever is retried or crashes.
 */
export function webhookChannel(options: WebhookOptions): Channel {
  const problem = unknownKey(options, knownOptions)
  if (problem !== undefined) throw new ChannelError('refused', `webhookChannel: ${problem}`)
  if (typeof options.secret !== 'string' || options.secret.length < 16) {
    throw new ChannelError('refused', 'A webhook needs a secret of at least 16 characters.')
  }
  return {
    kind: 'webhook',
    maxChars: options.maxChars ?? 4_000,
    send: request => post(options, request),
    hook: (request, inbox) => takeIn(options, request, inbox),
  }
}

// A misspelled `allowSenders` would let everybody in who has the secret.
const knownOptions: KeysOf<WebhookOptions> = {
  url: true,
  secret: true,
  allowSenders: true,
  maxChars: true,
  fetch: true,
  now: true,
}

async function post(options: WebhookOptions, request: SendRequest): Promise<string> {
  const { url, secret, fetch = globalThis.fetch, now = () => new Date() } = options
  const { target, message, idempotencyKey, signal } = request
  const { text, medium, replyTo } = message
  const body = Buffer.from(
    JSON.stringify({
      id: idempotencyKey,
      conversation: target,
      text,
      replyTo,
      media: medium && {
        mediaType: medium.mediaType,
        fileName: medium.fileName,
        base64: Buffer.from(medium.bytes).toString('base64'),
      },
    }),
  )
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
      'x-throughline-signature': sign(body, { secret, now: now() }),
    },
    body,
    signal,
    // The operator has named this address and no other.
    redirect: 'manual',
  }).catch(error => {
    throw new ChannelError('unavailable', `The webhook cannot be reached: ${reasonOf(error)}.`)
  })
  // Only the status counts. A body that breaks off takes nothing back.
  await response.body?.cancel().catch(() => undefined)
  if (response.ok) return idempotencyKey
  throw new ChannelError(
    isTemporary(response.status) ? 'unavailable' : 'refused',
    `The webhook answered ${response.status}.`,
    retryAfterMs(response),
  )
}

// Both become parts of longer ids.
const shortId = z.string().max(80).refine(isId, 'an id of up to 80 letters, digits, "_", ".", ":" and "-"')

const inboundBody = z.object({
  id: shortId,
  conversation: shortId,
  sender: z.object({ id: z.string().min(1).max(200), name: z.string().max(200).default('') }),
  text: z.string().max(100_000),
})

async function takeIn(
  { secret, allowSenders, now = () => new Date() }: WebhookOptions,
  { headers, body }: HookRequest,
  inbox: Inbox,
): Promise<HookResponse> {
  if (!isSigned(body, headers['x-throughline-signature'] ?? '', { secret, now: now() })) {
    return problem(401, 'bad-signature', 'Sign the body with the shared secret: see docs/guides/channels.md.')
  }
  const parsed = inboundBody.safeParse(parseJson(body))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return problem(
      400,
      'invalid-body',
      `The field "${issue?.path.join('.')}" is not as expected: ${issue?.message}.`,
    )
  }
  const { id, conversation, sender, text } = parsed.data
  if (allowSenders !== undefined && !allowSenders.includes(sender.id)) {
    return problem(403, 'sender-not-allowed', 'This sender may not talk to the agent.')
  }
  if (text.trim() === '') return problem(400, 'empty-message', 'The message has no text.')
  await inbox({
    id,
    conversation,
    target: conversation,
    senderId: sender.id,
    senderName: sender.name || sender.id,
    text,
  })
  return { status: 202, body: { accepted: id } }
}

function problem(status: number, code: string, detail: string): HookResponse {
  return { status, body: { type: 'about:blank', status, code, detail } }
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429
}

function retryAfterMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    // What is no JSON has none of the fields either.
    return undefined
  }
}

// The cause says more than "fetch failed", and neither says more than the operator's own log should.
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error instanceof Error ? error.name : 'unknown'
}
