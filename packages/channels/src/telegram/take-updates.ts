import { createHash, timingSafeEqual } from 'node:crypto'
import { ProblemError } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import {
  type Channel,
  ChannelError,
  type Decide,
  type HookRequest,
  type HookResponse,
  type Inbox,
} from '../ports/channel.ts'
import { type PressOptions, takePress } from './press.ts'
import { type ReadOptions, readUpdate } from './read-update.ts'

const pollSeconds = 30
const allowedUpdates = ['message', 'callback_query'] as const

/** Asks Telegram for updates (long polling), one batch after the other, until the signal aborts. */
export function updatePoller(options: TakeSetup): NonNullable<Channel['poll']> {
  return (inbox, signal, decide) =>
    pollUpdates(inbox, { ...options, decide, signal }).catch(error => {
      // An update that was not taken in completely is not confirmed. Telegram will send it again.
      if (!signal.aborted) throw error
    })
}

async function pollUpdates(inbox: Inbox, options: TakeOptions): Promise<void> {
  const { bot, signal } = options
  // As long as a webhook is set, Telegram refuses polling.
  await bot.ask(signal, (api, apiSignal) => api.deleteWebhook({}, apiSignal))
  // With each request Telegram forgets the updates before the offset. So the offset moves on only when an update is
  // durable.
  for (let offset = 0; !signal.aborted; ) {
    const request = { offset, timeout: pollSeconds, allowed_updates: allowedUpdates }
    const updates = await bot.ask(signal, (api, apiSignal) => api.getUpdates(request, apiSignal))
    for (const update of updates) {
      if (signal.aborted) return
      await takeUpdate(update, inbox, options)
      offset = update.update_id + 1
    }
  }
}

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

interface TakeOptions extends ReadOptions, PressOptions {
  readonly send: Channel['send']
  /** The reply to a message without text. Empty: no reply. */
  readonly textOnlyNotice: string
}

/** What a channel knows before it takes updates. */
export type TakeSetup = Omit<TakeOptions, 'signal' | 'decide'>

/**
 * Takes an update in, if it is for the bot. Throws only if another attempt may succeed. An update that can never be taken
 * is reported and left out, so that it does not hold up others.
 */
async function takeUpdate(update: unknown, inbox: Inbox, options: TakeOptions): Promise<void> {
  const { report } = options
  const reading = await readUpdate(update, options)
  switch (reading.type) {
    case 'not-for-us':
      return
    case 'bad':
      return report(new TypeError(reading.reason), 'an update of Telegram is not as expected; it is left out')
    case 'no-text':
      return replyToNoText(reading, options)
    case 'press':
      return takePress(reading, options).catch(error => {
        if (!isFinal(error)) throw error
        report(error, 'a press of a button in Telegram is not taken; it is left out')
      })
    case 'message':
      return inbox(reading.inbound).catch(error => {
        if (!isFinal(error)) throw error
        report(error, `message ${reading.inbound.id} of Telegram is not taken; it is left out`)
      })
    default:
      return reading satisfies never
  }
}

async function replyToNoText(
  { id, target }: { readonly id: string; readonly target: string },
  { send, textOnlyNotice, report, signal }: TakeOptions,
): Promise<void> {
  if (textOnlyNotice === '') return
  const message = { text: textOnlyNotice, replyTo: id }
  await send({ target, message, idempotencyKey: `notice.${id}`, signal }).catch(error =>
    report(error, `nobody could be told that message ${id} of Telegram has no text`),
  )
}

/** Whether the same message would be refused again, however often it comes. */
function isFinal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500 && error.status !== 408 && error.status !== 429
}
