import type { ChatKey } from '@throughline/protocol'
import type { Signals } from '@throughline/store'
import { Poll } from './poll.ts'

/** What is waited for in the rows of chats, and how it is read. */
export interface RowWaitsOptions<Wanted extends ChatKey, Found> {
  readonly signals: Signals
  /** Reads several at once. Returns those that are there. */
  readonly read: (wanted: readonly Wanted[]) => Promise<ReadonlyMap<Wanted, Found>>
  /** Is told when the rows could not be read. They are read again within two seconds. */
  readonly onFailure: (error: unknown) => void
}

/** Those who wait in one chat. */
interface ChatWaits<Wanted> {
  readonly wanted: Set<Wanted>
  readonly endRings: () => void
  isLooking: boolean
  /** A ring came during the look. What was read may be older than the ring. */
  isAskedAgain: boolean
}

/**
 * Everybody in this process who waits for the same kind of rows. All of them share the reads: one read after a ring for
 * their chat, and one read for all chats every two seconds, for rings that were lost.
 */
export class RowWaits<Wanted extends ChatKey, Found> {
  readonly #options: RowWaitsOptions<Wanted, Found>
  readonly #chats = new Map<string, ChatWaits<Wanted>>()
  readonly #resolves = new Map<Wanted, (found: Found) => void>()
  readonly #poll = new Poll(
    () => this.#resolves.size > 0,
    () => this.#look([...this.#resolves.keys()]),
  )

  constructor(options: RowWaitsOptions<Wanted, Found>) {
    this.#options = options
  }

  /** Waits until something is there. Returns `undefined` when the signal aborts before. */
  async until(wanted: Wanted, signal: AbortSignal): Promise<Found | undefined> {
    if (signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<Found | undefined>()
    const leave = () => resolve(undefined)
    signal.addEventListener('abort', leave)
    this.#resolves.set(wanted, resolve)
    const chat = this.#chatOf(wanted)
    chat.wanted.add(wanted)
    void this.#lookAt(chat)
    this.#poll.start()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
      this.#leave(wanted, chat)
    }
  }

  #chatOf({ ownerId, chatId }: Wanted): ChatWaits<Wanted> {
    const key = { ownerId, chatId }
    const known = this.#chats.get(nameOf(key))
    if (known !== undefined) return known
    const endRings = this.#options.signals.onRing(key, () => void this.#lookAt(chat))
    const chat: ChatWaits<Wanted> = { wanted: new Set(), endRings, isLooking: false, isAskedAgain: false }
    this.#chats.set(nameOf(key), chat)
    return chat
  }

  #leave(wanted: Wanted, chat: ChatWaits<Wanted>): void {
    this.#resolves.delete(wanted)
    chat.wanted.delete(wanted)
    if (chat.wanted.size > 0) return
    chat.endRings()
    this.#chats.delete(nameOf(wanted))
  }

  async #lookAt(chat: ChatWaits<Wanted>): Promise<void> {
    chat.isAskedAgain = true
    if (chat.isLooking) return
    chat.isLooking = true
    while (chat.isAskedAgain) {
      chat.isAskedAgain = false
      await this.#look([...chat.wanted])
    }
    chat.isLooking = false
  }

  async #look(wanted: readonly Wanted[]): Promise<void> {
    if (wanted.length === 0) return
    try {
      for (const [each, found] of await this.#options.read(wanted)) this.#resolves.get(each)?.(found)
    } catch (error) {
      this.#options.onFailure(error)
    }
  }
}

function nameOf({ ownerId, chatId }: ChatKey): string {
  return `${ownerId}/${chatId}`
}
