import type { Channel, Inbox } from '../channel.ts'
import { type TakeOptions, type TakeSetup, takeUpdate } from './take-update.ts'

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
