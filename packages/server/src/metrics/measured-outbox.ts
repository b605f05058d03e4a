import type { SettledOutboxItem } from '@throughline/protocol/internal'
import type { Store } from '@throughline/store'

type Outbox = Store['outbox']

/** Returns an outbox that does the same, and calls `onSettled` for each item that a channel has taken or refused. */
export function measuredOutbox(
  outbox: Outbox,
  onSettled: (status: SettledOutboxItem['status']) => void,
): Outbox {
  return {
    ...outbox,
    async settle(chat, settled) {
      await outbox.settle(chat, settled)
      onSettled(settled.status)
    },
  }
}
