/** One message to a channel. It is saved before it is sent, and settled when the channel has taken or refused it. */
export interface OutboxItem {
  readonly runId: string
  /** Its position among the items of its run, from 0. */
  readonly index: number
  /** What is sent, as JSON. Only packages/channels reads and writes it. */
  readonly body: string
  readonly status: 'pending' | 'sent' | 'failed'
  /** The channel's id for the message. It is missing until the channel has confirmed the message. */
  readonly receipt: string | undefined
}

/** An item that is saved for the first time, or whose body is replaced. */
export type OutboxItemBody = Pick<OutboxItem, 'runId' | 'index' | 'body'>

/** An item that is sent, or that is given up. */
export interface SettledOutboxItem extends Pick<OutboxItem, 'runId' | 'index' | 'receipt'> {
  readonly status: 'sent' | 'failed'
}
