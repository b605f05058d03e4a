import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'

/** A ticket opens the streams of one chat for a short time. It can stand in an address, where a token must not. */
export interface Ticket {
  readonly ticket: string
  readonly expiresAt: string
}

/** The options of tickets. */
export interface TicketsOptions {
  readonly now: () => Date
  /** How long a ticket can be used, in milliseconds. Default: 60,000. */
  readonly ticketMs?: number | undefined
  /** What tickets are signed with. All nodes have the same. Default: a key that only this process has. */
  readonly key?: Buffer | undefined
}

/**
 * Issues and reads tickets. A ticket carries owner, chat and time, and is signed. So tickets are not stored, and any
 * process that has the key can read them.
 */
export class Tickets {
  readonly #key: Buffer
  readonly #now: () => Date
  readonly #ticketMs: number

  constructor({ now, ticketMs = 60_000, key = randomBytes(32) }: TicketsOptions) {
    this.#key = key
    this.#now = now
    this.#ticketMs = ticketMs
  }

  issue({ ownerId, chatId }: ChatKey): Ticket {
    const expires = this.#now().getTime() + this.#ticketMs
    const subject = Buffer.from(JSON.stringify([ownerId, chatId])).toString('base64url')
    return { ticket: this.#signed(`${subject}.${expires}`), expiresAt: new Date(expires).toISOString() }
  }

  /** Returns the chat that a ticket opens. Returns `undefined` when it has expired, or was signed with another key. */
  read(ticket: string): ChatKey | undefined {
    const [subject = '', expires = ''] = ticket.split('.')
    const given = Buffer.from(ticket)
    const expected = Buffer.from(this.#signed(`${subject}.${expires}`))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    if (this.#now().getTime() >= Number(expires)) return undefined
    const [ownerId, chatId] = JSON.parse(Buffer.from(subject, 'base64url').toString())
    return isOwnerId(ownerId) && isChatId(chatId) ? { ownerId, chatId } : undefined
  }

  #signed(facts: string): string {
    return `${facts}.${createHmac('sha256', this.#key).update(facts).digest('base64url')}`
  }
}
