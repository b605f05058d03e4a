import { createHash } from 'node:crypto'
import type { ChatKey } from '@throughline/protocol'
import type { ApprovalName, FoundApproval, Store } from '@throughline/store'
import type { Logger } from 'pino'
import { Poll } from '../signals/poll.ts'

/** What waiting for records needs. */
export interface CallWaitsOptions {
  readonly store: Pick<Store, 'approvals' | 'signals'>
  readonly now: () => Date
  readonly logger: Logger
}

interface WaitingCall {
  readonly name: ApprovalName
  readonly resolve: (settled: FoundApproval) => void
  readonly endRings: () => void
}

/**
 * The tool calls of this process that wait for something from outside. Their records are in the store, and any process
 * that shares the store may settle them.
 */
export class CallWaits {
  readonly #options: CallWaitsOptions
  readonly #waiting = new Map<string, WaitingCall>()
  readonly #poll = new Poll(
    () => this.#waiting.size > 0,
    () => this.#look([...this.#waiting.values()].map(({ name }) => name)),
  )

  constructor(options: CallWaitsOptions) {
    this.#options = options
  }

  /** Resolves with the record when somebody has settled it, in whatever process. Never resolves when nobody does. */
  wait(chat: ChatKey, id: string): Promise<FoundApproval> {
    const { promise, resolve } = Promise.withResolvers<FoundApproval>()
    const name = { ownerId: chat.ownerId, id }
    const endRings = this.#options.store.signals.onRing(chat, () => void this.#look([name]))
    this.#waiting.set(id, { name, resolve, endRings })
    this.#poll.start()
    return promise
  }

  /** Waits for a record that may have been settled before, or since it was read last. */
  waitAgain(chat: ChatKey, id: string): Promise<FoundApproval> {
    const settled = this.wait(chat, id)
    void this.#look([{ ownerId: chat.ownerId, id }])
    return settled
  }

  /** Tells a call of this process, and the other processes, that a record was settled. */
  async tell(chat: ChatKey, id: string): Promise<void> {
    await this.#look([{ ownerId: chat.ownerId, id }])
    this.#options.store.signals.ring(chat)
  }

  /** Nobody waits for the record any more. Returns it if somebody else has settled it before. */
  async withdraw(chat: ChatKey, id: string): Promise<FoundApproval | undefined> {
    const { store, now } = this.#options
    const isFirst = await store.approvals.settle(chat.ownerId, id, {
      status: 'expired',
      at: now().toISOString(),
    })
    this.#leave(id)
    store.signals.ring(chat)
    return isFirst ? undefined : store.approvals.find(chat.ownerId, id)
  }

  async #look(names: readonly ApprovalName[]): Promise<void> {
    const { store, logger } = this.#options
    try {
      for (const found of await store.approvals.settled(names)) {
        // A call that nobody settled in time, or whose run is over, does not wait for this any more.
        if (found.status !== 'expired' && found.status !== 'void') this.#waiting.get(found.id)?.resolve(found)
        this.#leave(found.id)
      }
    } catch (error) {
      logger.warn({ err: error }, 'what tool calls wait for could not be read; it is read again soon')
    }
  }

  #leave(id: string): void {
    this.#waiting.get(id)?.endRings()
    this.#waiting.delete(id)
  }
}

/** Returns a digest of the input of a call. A record belongs to one input. */
export function inputHash(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? '')
    .digest('hex')
}
