import type { Delivery } from '../delivery.ts'
import type { OutboxItem } from './outbox.ts'
import { OutboxSender } from './outbox-sender.ts'
import { mediaReader } from './read-medium.ts'

export interface Sending {
  readonly runId: string
  readonly replyTo: string | undefined
  /** What earlier processes have written down. */
  readonly known: readonly OutboxItem[]
}

/** What sends the messages of one run of a delivery. */
export function openSender(delivery: Delivery, { runId, replyTo, known }: Sending): OutboxSender {
  const { channel, target, outbox, readFile, report, signal, options, startTimer, now } = delivery
  const { timeoutMs, giveUpMs } = options
  const readMedium = mediaReader(readFile)
  return new OutboxSender(
    {
      channel,
      target,
      outbox,
      runId,
      replyTo,
      readMedium,
      report,
      signal,
      timeoutMs,
      giveUpMs,
      startTimer,
      now,
    },
    known,
  )
}
