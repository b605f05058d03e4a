import type { Entry } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { type BlockChunkerOptions, type BreakPreference, chunkLimits } from '../cutting/blocks.ts'
import type { Channel } from '../ports/channel.ts'
import type { DeliveryOutbox } from '../ports/delivery-outbox.ts'
import type { StartTimer } from '../ports/timers.ts'
import type { FileReader } from '../sending/read-medium.ts'
import type { ToolStartEvent } from './tool-start.ts'

/** How answers are delivered to a channel. */
export interface DeliveryOptions {
  /** How many characters a block has before it is sent. Default: 800. */
  readonly minChars?: number
  /** The most characters of a block. Default: 1,200, or as many as the channel takes if that is less. */
  readonly maxChars?: number
  /**
   * `blocks`: one message per block. `edit`: messages that grow, where the channel can edit. `final`: nothing before the
   * answer has ended, then one message, cut only where it is longer than the channel takes. Default: `blocks`.
   */
  readonly streaming?: 'blocks' | 'edit' | 'final'
  /** Where blocks end. Default: `paragraph`. */
  readonly preference?: BreakPreference
  /** How long a short block waits for more, in milliseconds. With `edit`, the time between two edits. Default: 1,000. */
  readonly idleMs?: number
  /** How long a channel may take for a message, in milliseconds. Default: 15,000. */
  readonly timeoutMs?: number
  /** How long a message is tried before it is given up, in milliseconds. Default: 3,600,000, which is an hour. */
  readonly giveUpMs?: number
  /** Returns how long to wait before each message but the first, in milliseconds. Default: no wait. */
  readonly pauseMs?: (text: string) => number
  /** Whether to send what sub-agents write, too. Default: false. */
  readonly isWithSubAgents?: boolean
  /** Whether to send a line for every tool that is called. Default: false. */
  readonly isWithTools?: boolean
  /**
   * Called when a tool starts, after the text before it was sent. Nobody waits for what it returns. What it throws is
   * logged at debug level. After a crash it may be called again for the same start.
   */
  readonly onEvent?: (event: ToolStartEvent) => unknown
}

/** What the delivery of one run needs. */
export interface Delivery {
  readonly channel: Channel
  /** Where to send to: what the channel itself has given as a message's `target`. */
  readonly target: string
  /** Returns the channel's id of an inbound message, or nothing when the message came from elsewhere. */
  readonly inboundId: (messageId: string) => string | undefined
  /** Reads the chat's log in pages, from where its deliveries stand, until the signal aborts. */
  readonly entries: (signal: AbortSignal) => AsyncIterable<readonly Entry[]>
  readonly outbox: DeliveryOutbox
  readonly readFile: FileReader
  readonly report: (error: unknown, what: string) => void
  /** Called with what nobody has to do anything about. */
  readonly debug: (what: string) => void
  readonly signal: AbortSignal
  readonly options: DeliveryOptions
  readonly startTimer?: StartTimer
  readonly now?: () => number
}

/** How the messages of a delivery come: `edit` only where the channel can edit. */
export function streamingOf({ channel, options }: Delivery): 'blocks' | 'edit' | 'final' {
  const { streaming = 'blocks' } = options
  return streaming === 'edit' && channel.edit === undefined ? 'blocks' : streaming
}

/** How long the blocks of an answer may be in a channel, and where they end. */
export function blockLimits(
  channel: Pick<Channel, 'maxChars'>,
  options: DeliveryOptions = {},
): BlockChunkerOptions {
  const { minChars, maxChars, preference = 'paragraph', streaming } = options
  if (streaming === 'final') {
    const all = channel.maxChars
    return { ...chunkLimits(all, { minChars: all, maxChars: all }), preference: 'limit' }
  }
  return { ...chunkLimits(channel.maxChars, defined({ minChars, maxChars })), preference }
}
