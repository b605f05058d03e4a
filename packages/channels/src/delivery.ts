import type { Entry } from '@throughline/protocol/entry'
import type { Channel } from './channel.ts'
import type { BlockChunkerOptions, BreakPreference } from './cutting/block-chunker.ts'
import { chunkLimits } from './cutting/chunk-limits.ts'
import type { Outbox } from './sending/outbox.ts'
import type { FileReader } from './sending/read-medium.ts'
import type { StartTimer } from './sending/start-timer.ts'

export interface DeliveryOptions {
  /** A block waits until it has as many characters: 800. */
  readonly minChars?: number
  /** No block is longer: 1200, or what the channel takes. */
  readonly maxChars?: number
  /**
   * `blocks`, the default: one message per block. `edit`: messages that grow, where the channel can edit. `final`:
   * nothing before the answer has ended, then one message, cut only where it is longer than the channel takes.
   */
  readonly streaming?: 'blocks' | 'edit' | 'final'
  /** Where blocks end: `paragraph`. */
  readonly preference?: BreakPreference
  /** How long a short text waits for more: 1000. */
  readonly idleMs?: number
  /** How long a channel may take for a message: 15,000. */
  readonly timeoutMs?: number
  /** How long a message is tried before it is given up: an hour. */
  readonly giveUpMs?: number
  /** How long to wait before each message but the first, as a person would: not at all. */
  readonly pauseMs?: (text: string) => number
  /** Also sends what sub-agents write. */
  readonly isWithSubAgents?: boolean
  /** Also sends a line for every tool that is called. */
  readonly isWithTools?: boolean
}

export interface Delivery {
  readonly channel: Channel
  readonly target: string
  /** The inbound message that a message of the chat was; nothing for what came in elsewhere. */
  readonly inboundId: (messageId: string) => string | undefined
  /** The chat's log from where its deliveries stand. */
  readonly entries: AsyncIterable<readonly Entry[]>
  readonly outbox: Outbox
  readonly readFile: FileReader
  readonly report: (error: unknown, what: string) => void
  /** Hears of what nobody has to do anything about. */
  readonly debug: (what: string) => void
  readonly signal: AbortSignal
  readonly options: DeliveryOptions
  readonly startTimer?: StartTimer
  readonly now?: () => number
}

/** How an answer is cut for a channel. */
export function blockLimits(
  channel: Pick<Channel, 'maxChars'>,
  options: DeliveryOptions = {},
): BlockChunkerOptions {
  const { minChars, maxChars, preference = 'paragraph', streaming } = options
  if (streaming === 'final') {
    const all = channel.maxChars
    return { ...chunkLimits(all, { minChars: all, maxChars: all }), preference: 'limit' }
  }
  const wanted = {
    ...(minChars === undefined ? {} : { minChars }),
    ...(maxChars === undefined ? {} : { maxChars }),
  }
  return { ...chunkLimits(channel.maxChars, wanted), preference }
}
