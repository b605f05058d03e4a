/** Something on its way to a channel, as it is kept. */
export interface OutboxItem {
  readonly runId: string
  /** Its place among what the run sends, from 0. */
  readonly index: number
  readonly body: string
  readonly status: 'pending' | 'sent' | 'failed'
  /** The channel's id for it, once it has confirmed it. */
  readonly receipt: string | undefined
}

/** What is on its way to one chat. An item is durable before it is sent, and settled once the channel has confirmed it. */
export interface Outbox {
  /** In order; those of a run that has been delivered are gone. */
  load(): Promise<readonly OutboxItem[]>
  add(item: Pick<OutboxItem, 'runId' | 'index' | 'body'>): Promise<void>
  settle(
    item: Pick<OutboxItem, 'runId' | 'index' | 'receipt'> & { readonly status: 'sent' | 'failed' },
  ): Promise<void>
  /** The item has become another in the meantime: its message was edited. */
  rewrite(item: Pick<OutboxItem, 'runId' | 'index' | 'body'>): Promise<void>
  /** Everything up to this entry of the log has been delivered. */
  advance(seq: number): Promise<void>
}
