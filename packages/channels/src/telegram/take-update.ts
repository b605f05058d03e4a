import { ProblemError } from '@throughline/protocol'
import type { Channel, Inbox } from '../channel.ts'
import { type PressOptions, takePress } from './approvals/take-press.ts'
import { type ReadOptions, readUpdate } from './read-update.ts'

export interface TakeOptions extends ReadOptions, PressOptions {
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
export async function takeUpdate(update: unknown, inbox: Inbox, options: TakeOptions): Promise<void> {
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
