import { cutIntoBlocks, withoutBlocks } from './cutting/cut-into-blocks.ts'
import type { BlockPart, ReplyPart } from './cutting/reply-part.ts'
import { blockLimits, type Delivery, streamingOf } from './delivery.ts'
import { replyText } from './reading/reply-text.ts'
import { joinShort } from './sending/join-short.ts'
import { paceEdits } from './sending/pace-edits.ts'
import { Reply } from './sending/reply.ts'
import { startTimer as realTimer } from './sending/start-timer.ts'

/**
 * Delivers the next run of a chat to its channel: block by block while the answer is being written, and the rest at its
 * end. Resolves when all of it is delivered. If this process dies before that, the next one reads the run again and goes
 * on where the outbox ends.
 *
 * Everything is pulled: no entry is read while a message is on its way to the channel.
 */
export async function deliverRun(delivery: Delivery): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([delivery.signal, over.signal])
  try {
    await deliverAnswer({ ...delivery, signal })
  } finally {
    // Ends the typing indicator, and the reading of the log. The next attempt must not meet them.
    over.abort()
  }
}

async function deliverAnswer(delivery: Delivery): Promise<void> {
  const { entries, outbox, options, signal } = delivery
  const known = await outbox.load()
  let reply: Reply | undefined
  const text = replyText(entries(signal), options)
  for await (const part of inBlocks(text, delivery, () => reply?.reach ?? 0)) {
    if (part.type === 'start') reply = new Reply(delivery, part, known)
    else await reply?.take(part)
    if (part.type === 'end') return outbox.advance(part.seq)
  }
  signal.throwIfAborted()
}

/** The stages between the text of an answer and its messages. `reach`: so much of the text is sent for good. */
function inBlocks(
  text: AsyncIterable<ReplyPart>,
  delivery: Delivery,
  reach: () => number,
): AsyncIterable<BlockPart> {
  const { channel, options, startTimer = realTimer } = delivery
  const { idleMs = 1_000 } = options
  const limits = blockLimits(channel, options)
  switch (streamingOf(delivery)) {
    case 'blocks':
      return joinShort(cutIntoBlocks(text, { limits, reach }), { ...limits, idleMs, startTimer })
    case 'edit':
      return paceEdits(cutIntoBlocks(text, { limits, reach, isGrowing: true }), {
        intervalMs: idleMs,
        startTimer,
      })
    case 'final':
      return withoutBlocks(text)
  }
}
