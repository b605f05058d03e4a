import { createHash, timingSafeEqual } from 'node:crypto'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import {
  type Channel,
  ChannelError,
  type Decide,
  type HookRequest,
  type HookResponse,
  type Inbox,
} from '../channel.ts'
import { type TakeSetup, takeUpdate } from './take-update.ts'

/** Less than the minute that Telegram waits for a response. */
const hookTimeoutMs = 30_000

/**
 * Handles Telegram's requests. Responds with 200 when the update is durable. If it fails before, Telegram sends it
 * again.
 */
export function hookTaker(
  secret: string,
  options: TakeSetup,
): Required<Pick<Channel, 'hook' | 'refuseHook'>> {
  if (!/^[\w-]{16,256}$/.test(secret)) {
    throw new ChannelError(
      'refused',
      'The webhook secret of Telegram has to have 16 to 256 characters of A-Z, a-z, 0-9, "_" and "-".',
    )
  }
  function refuseHook(headers: HookRequest['headers']): HookResponse | undefined {
    if (isSame(headers['x-telegram-bot-api-secret-token'] ?? '', secret)) return undefined
    return problem(401, 'bad-secret', 'The secret token is not the one that was given to Telegram.')
  }
  async function hook({ headers, body }: HookRequest, inbox: Inbox, decide: Decide): Promise<HookResponse> {
    const refused = refuseHook(headers)
    if (refused !== undefined) return refused
    const update = z.looseObject({ update_id: z.int() }).safeParse(parseJson(new TextDecoder().decode(body)))
    if (!update.success) return problem(400, 'invalid-body', 'The body is no update of Telegram.')
    await takeUpdate(update.data, inbox, { ...options, decide, signal: AbortSignal.timeout(hookTimeoutMs) })
    return { status: 200, body: { ok: true } }
  }
  return { refuseHook, hook }
}

// Compares digests, which have the same length, in constant time. So the time tells nothing about the secret.
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

function problem(status: number, code: string, detail: string): HookResponse {
  return { status, body: { type: 'about:blank', status, code, detail } }
}
