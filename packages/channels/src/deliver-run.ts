import type { Delivery } from './delivery.ts'
import { Reply } from './reply.ts'
import { replyEvents } from './reply-events.ts'

/**
 * Delivers the next run of a chat to its channel, block by block while it is being written, and what is left at its
 * end. Resolves when all of it is delivered; then the next process begins behind it. Should this one die before, the
 * next one reads the run again and goes on where the outbox ends.
 */
export async function deliverRun(delivery: Delivery): Promise<void> {
  const read = replyEvents(delivery.options)
  const items = await delivery.outbox.load()
  let reply: Reply | undefined
  for await (const page of delivery.entries) {
    for (const event of read(page)) {
      if (event.type === 'start') reply = new Reply(delivery, event, items)
      else await reply?.take(event)
      if (event.type !== 'end') continue
      await delivery.outbox.advance(event.seq)
      return
    }
    reply?.pass()
  }
  delivery.signal.throwIfAborted()
}
