import { createSignals, type Signals } from '../../nodes/signals.ts'
import { maxPlaintextBytes } from './encrypted-notifications.ts'
import type { Notifications } from './notifications.ts'

/** The channel on which processes ring for chats. */
const signalChannel = 'throughline_signals'

/** How many topics fit into one notification: a topic has at most 260 bytes, and a blank parts it from the next. */
const maxTopics = Math.floor(maxPlaintextBytes / 261)

/**
 * Returns the bells between the processes that share a database. All rings since the last notification go into the next
 * one. While there is no connection, rings are lost: everybody who listens also polls.
 */
export async function createPostgresSignals(notifications: Notifications): Promise<Signals> {
  const unsent = new Set<string>()
  let isSending = false

  async function send(): Promise<void> {
    isSending = true
    while (unsent.size > 0) {
      const topics = [...unsent].slice(0, maxTopics)
      for (const topic of topics) unsent.delete(topic)
      await notifications
        .send([{ channel: signalChannel, payload: topics.join(' ') }])
        // There is no connection. Whoever waits for these rings finds the rows at the next poll.
        .catch(() => unsent.clear())
    }
    isSending = false
  }

  const signals = createSignals(topic => {
    unsent.add(topic)
    if (!isSending) void send()
  })
  await notifications.listen(signalChannel, payload => payload.split(' ').forEach(signals.hear))
  return signals
}
