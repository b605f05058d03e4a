import type { OutboxItem, OutboxItemBody } from '@throughline/protocol/internal'
import type { DeliveryOutbox } from '../../src/ports/delivery-outbox.ts'
import type { Mortal } from './mortal.ts'

/** An outbox that outlives the processes that use it. */
export class MemoryOutbox {
  items: OutboxItem[] = []
  /** All items that were ever saved, in their last state. */
  readonly written: OutboxItem[] = []
  readonly advances: number[] = []

  /** The outbox as a process sees it. */
  of(process: Mortal): DeliveryOutbox {
    return {
      load: () => process.call(() => [...this.items]),
      add: ({ runId, index, body }) => process.call(() => this.#add({ runId, index, body })),
      settle: ({ runId, index, status, receipt }) =>
        process.call(() => this.#change({ runId, index }, { status, receipt })),
      rewrite: ({ runId, index, body }) => process.call(() => this.#change({ runId, index }, { body })),
      advance: seq => process.call(() => this.#advance(seq)),
    }
  }

  #add(item: OutboxItemBody): void {
    if (this.items.some(({ runId, index }) => runId === item.runId && index === item.index))
      throw new Error(`There is an item ${item.runId}.${item.index} already.`)
    const added = { ...item, status: 'pending', receipt: undefined } as const
    this.items.push(added)
    this.written.push(added)
  }

  #change({ runId, index }: Pick<OutboxItem, 'runId' | 'index'>, change: Partial<OutboxItem>): void {
    const changed = (item: OutboxItem) =>
      item.runId === runId && item.index === index ? { ...item, ...change } : item
    this.items = this.items.map(changed)
    this.written.splice(0, this.written.length, ...this.written.map(changed))
  }

  #advance(seq: number): void {
    this.advances.push(seq)
    this.items = []
  }
}
