import type { Channel, Inbox } from '../channel.ts'
import { type TakeOptions, type TakeSetup, takeUpdate } from './take-update.ts'

const pollSeconds = 30
const allowedUpdates = ['message', 'callback_query'] as const

/** Asks Telegram for updates, one batch after the other, until the signal aborts. */
export function updatePoller(options: TakeSetup): NonNullable<Channel['poll']> {
  return (inbox, signal, decide) =>
    pollUpdates(inbox, { ...options, decide, signal }).catch(error => {
      // What was cut short is not confirmed, so Telegram tells it again.
      if (!signal.aborted) throw error
    })
}

async function pollUpdates(inbox: Inbox, options: TakeOptions): Promise<void> {
  const { bot, signal } = options
  // While Telegram has an address to send updates to, nobody can ask for them.
  await bot.ask(signal, (api, apiSignal) => api.deleteWebhook({}, apiSignal))
  // With every question, Telegram forgets what is before the offset: it moves on only over what is durable.
  for (let offset = 0; !signal.aborted; ) {
    const question = { offset, timeout: pollSeconds, allowed_updates: allowedUpdates }
    const updates = await bot.ask(signal, (api, apiSignal) => api.getUpdates(question, apiSignal))
    for (const update of updates) {
      if (signal.aborted) return
      await takeUpdate(update, inbox, options)
      offset = update.update_id + 1
    }
  }
}
