import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type Channel, ChannelError, type HookResponse } from '../channel.ts'
import { type TakeSetup, takeUpdate } from './take-update.ts'

/** Telegram waits about a minute for an answer. */
const hookTimeoutMs = 30_000

/** Answers Telegram's requests: 200 once the update is durable; before that it fails, and Telegram comes again. */
export function hookTaker(secret: string, options: TakeSetup): NonNullable<Channel['hook']> {
  if (!/^[\w-]{16,256}$/.test(secret)) {
    throw new ChannelError(
      'refused',
      'The webhook secret of Telegram has to have 16 to 256 characters of A-Z, a-z, 0-9, "_" and "-".',
    )
  }
  return async ({ headers, body }, inbox, decide) => {
    if (!isSame(headers['x-telegram-bot-api-secret-token'] ?? '', secret)) {
      return problem(401, 'bad-secret', 'The secret token is not the one that was given to Telegram.')
    }
    const update = z.looseObject({ update_id: z.int() }).safeParse(parseJson(body))
    if (!update.success) return problem(400, 'invalid-body', 'The body is no update of Telegram.')
    await takeUpdate(update.data, inbox, { ...options, decide, signal: AbortSignal.timeout(hookTimeoutMs) })
    return { status: 200, body: { ok: true } }
  }
}

// Digests are equally long, and how long it takes to compare them says nothing about the secret.
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

function problem(status: number, code: string, detail: string): HookResponse {
  return { status, body: { type: 'about:blank', status, code, detail } }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    // What is no JSON is no update either.
    return undefined
  }
}
