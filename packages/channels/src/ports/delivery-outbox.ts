import type { OutboxItem, OutboxItemBody, SettledOutboxItem } from '@throughline/protocol/internal'

/** The outbox of one chat. An item is durable before it is sent. It is settled when the channel has confirmed it. */
export interface DeliveryOutbox {
  /** Returns the items in order. The items of a run are removed when the run is delivered. */
  load(): Promise<readonly OutboxItem[]>
  add(item: OutboxItemBody): Promise<void>
  settle(item: SettledOutboxItem): Promise<void>
  /** Replaces the body of an item, because its message was edited. */
  rewrite(item: OutboxItemBody): Promise<void>
  /** Everything up to this entry of the log is delivered. */
  advance(seq: number): Promise<void>
}

/** Keeps nothing. It is for replies that end with their process. */
export const inMemory: DeliveryOutbox = {
  load: async () => [],
  add: async () => undefined,
  settle: async () => undefined,
  rewrite: async () => undefined,
  advance: async () => undefined,
}
