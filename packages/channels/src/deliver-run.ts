import type { Delivery } from './delivery.ts'
import { replyEvents } from './reading/reply-events.ts'
import { Reply } from './sending/reply.ts'

/**
 * Delivers the next run of a chat to its channel, block by block while it is being written, and what is left at its
 * end. Resolves when all of it is delivered; then the next process begins behind it. Should this one die before, the
 * next one reads the run again and goes on where the outbox ends.
 */
export async function deliverRun(delivery: Delivery): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([delivery.signal, over.signal])
  try {
    await deliverEvents({ ...delivery, signal })
  } finally {
    // Whoever tries again must not meet what this attempt has left waiting.
    over.abort()
  }
}

async function deliverEvents(delivery: Delivery): Promise<void> {
  const { outbox, options, entries, signal } = delivery
  const read = replyEvents(options)
  const items = await outbox.load()
  let reply: Reply | undefined
  for await (const page of entries) {
    for (const event of read(page)) {
      if (event.type === 'start') reply = new Reply(delivery, event, items)
      else await reply?.take(event)
      if (event.type === 'end') return outbox.advance(event.seq)
    }
    reply?.pass()
  }
  signal.throwIfAborted()
}
