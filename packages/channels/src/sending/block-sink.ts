import type { BlockChunkerOptions } from '../cutting/block-chunker.ts'
import type { Delivery } from '../delivery.ts'
import { EditingSink } from './editing-sink.ts'
import type { OutboxSender } from './outbox-sender.ts'
import type { ReplyPayload } from './payloads.ts'
import { createReplyPipeline } from './reply-pipeline.ts'
import { startTimer } from './start-timer.ts'

/** What takes an answer's blocks to its channel while it is being written. */
export interface BlockSink {
  /** Takes a block that will not change any more, or what goes between two of them. */
  enqueue(payload: ReplyPayload): void
  /** Shows the block that is not complete yet. */
  show?(partial: ReplyPayload): void
  /** Resolves when everything that was taken is shown, or will not be before the end. */
  flush(options: { readonly force: boolean }): Promise<void>
  stop(): Promise<void>
}

export interface SinkOptions {
  readonly delivery: Delivery
  readonly sender: OutboxSender
  readonly limits: BlockChunkerOptions
}

/** Whether the answer is shown as messages that grow. */
export function isEditing({ channel, options }: Delivery): boolean {
  return options.streaming === 'edit' && channel.edit !== undefined
}

/** One message per block. What fails on the way waits for the end. */
export function openPipeline({ delivery, sender, limits }: SinkOptions): BlockSink {
  const { signal, options, report, startTimer: start = startTimer } = delivery
  const { idleMs = 1_000, pauseMs, timeoutMs = 15_000 } = options
  const { minChars, maxChars } = limits
  return createReplyPipeline({
    send: (payload, sending) =>
      payload.isStatus === true ? sender.notify(payload) : sender.post(payload, sending),
    coalesce: { minChars, maxChars, idleMs },
    ...(pauseMs === undefined ? {} : { pauseMs: ({ text = '' }) => pauseMs(text) }),
    signal,
    debug: what => report(undefined, what),
    timeoutMs,
    startTimer: start,
  })
}

/** Messages that grow. `open`: the one of an earlier process that may not be complete. */
export function openEditing({ delivery, sender }: SinkOptions, open: number | undefined): BlockSink {
  const { options, signal, report, startTimer: start = startTimer } = delivery
  const { idleMs: intervalMs = 1_000 } = options
  return new EditingSink({ sender, open, intervalMs, signal, report, startTimer: start })
}
