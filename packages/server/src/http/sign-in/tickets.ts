import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { type ChatKey, isChatId, isOwnerId, ProblemError } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { HttpContext } from '../request/context.ts'
import { chatIdFrom, readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type Asker, askerOf, identify } from './identify.ts'
import type { Identified, IdentifyOptions } from './identity.ts'

/** A ticket opens the streams of one chat for a short time. It can stand in an address, where a token must not. */
export interface Ticket {
  readonly ticket: string
  readonly expiresAt: string
}

/** What a ticket says. */
export interface TicketFacts extends ChatKey {
  /** The headers with which the ticket was asked for, those that may say who it was. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** The options of tickets. */
export interface TicketsOptions {
  readonly now: () => Date
  /** How long a ticket can be used, in milliseconds. Default: 60,000. */
  readonly ticketMs?: number | undefined
  /** What tickets are encrypted with. All nodes have the same. Default: a key that only this process has. */
  readonly key?: Buffer | undefined
}

/** In characters. Many proxies take no longer line of a request than 8 KB. */
const maxTicketLength = 7_000

/**
 * Issues and reads tickets. A ticket carries owner, chat and time, and the credentials of whoever asked for it, so that it
 * is worth nothing once these are not valid any more. It is encrypted (AES-256-GCM), because it stands in addresses. So
 * tickets are not stored, and any process that has the key can read them.
 */
export class Tickets {
  readonly #key: Buffer
  readonly #now: () => Date
  readonly #ticketMs: number

  constructor({ now, ticketMs = 60_000, key = randomBytes(32) }: TicketsOptions) {
    this.#key = Buffer.from(hkdfSync('sha256', key, '', 'throughline ticket', 32))
    this.#now = now
    this.#ticketMs = ticketMs
  }

  /** Throws a 400 problem when the credentials are too long for an address. */
  issue({ ownerId, chatId, headers }: TicketFacts): Ticket {
    const expires = this.#now().getTime() + this.#ticketMs
    const ticket = this.#sealed(JSON.stringify([ownerId, chatId, expires, headers]))
    if (ticket.length > maxTicketLength) throw ticketTooLarge()
    return { ticket, expiresAt: new Date(expires).toISOString() }
  }

  /** Returns what a ticket says. Returns `undefined` when it has expired, or was made with another key. */
  read(ticket: string): TicketFacts | undefined {
    const { data } = sealedFacts.safeParse(parseJson(this.#opened(ticket) ?? ''))
    if (data === undefined) return undefined
    const [ownerId, chatId, expires, headers] = data
    if (this.#now().getTime() >= expires || !isOwnerId(ownerId) || !isChatId(chatId)) return undefined
    return { ownerId, chatId, headers }
  }

  #sealed(text: string): string {
    const start = randomBytes(startLength)
    const cipher = createCipheriv('aes-256-gcm', this.#key, start)
    const sealed = [start, cipher.update(text), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(sealed).toString('base64url')
  }

  #opened(ticket: string): string | undefined {
    const bytes = Buffer.from(ticket.slice(0, maxTicketLength), 'base64url')
    // Node skips what is no base64, and so takes several texts for the same bytes.
    if (bytes.length < startLength + tagLength || bytes.toString('base64url') !== ticket) return undefined
    const cipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, startLength))
    cipher.setAuthTag(bytes.subarray(-tagLength))
    const text = cipher.update(bytes.subarray(startLength, -tagLength))
    try {
      return Buffer.concat([text, cipher.final()]).toString()
    } catch {
      // It was changed, or is of another process.
      return undefined
    }
  }
}

const startLength = 12
const tagLength = 16

const sealedFacts = z.tuple([z.string(), z.string(), z.number(), z.array(z.tuple([z.string(), z.string()]))])

function ticketTooLarge(): ProblemError {
  return new ProblemError(
    400,
    'ticket-too-large',
    'What says who you are does not fit into an address. Ask for the ticket with nothing but the one header that says it. With a cookie, EventSource needs no ticket.',
  )
}

/** The route that issues tickets. The chat does not have to exist yet. */
export function ticketsRoutes(tickets: Tickets): readonly Route[] {
  return [
    { method: 'POST', path: '/api/tickets', policy: 'owner', handle: context => issue(context, tickets) },
  ]
}

const ticketBody = z.object({ chatId: z.string() })

async function issue(context: HttpContext, tickets: Tickets): Promise<Response> {
  const body = await readJsonBody(context, ticketBody)
  const chat = { ownerId: context.get('ownerId'), chatId: chatIdFrom(body.chatId) }
  const headers = [...askerOf(context).headers()].filter(([name]) => !isAboutRequest(name))
  return context.json(tickets.issue({ ...chat, headers }), 201, { 'cache-control': 'no-store' })
}

/**
 * Returns whether a header says something of a request, and nothing of who sends it. All others go into the ticket:
 * `authenticate` may read any of them.
 */
function isAboutRequest(name: string): boolean {
  return requestHeaders.has(name) || name.startsWith('sec-') || name.startsWith('accept')
}

const requestHeaders: ReadonlySet<string> = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'dnt',
  'keep-alive',
  'origin',
  'pragma',
  'priority',
  'referer',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'user-agent',
])

/**
 * Returns who holds the ticket in a request. Its credentials are checked again, so a ticket ends with the session in which
 * it was asked for. Throws a 401 problem when the ticket does not open the chat in the path. A ticket opens streams
 * only, so its holder needs no tools.
 */
export async function ticketHolder(
  context: HttpContext,
  tickets: Tickets,
  options: IdentifyOptions,
): Promise<Identified> {
  const facts = tickets.read(context.req.query('ticket') ?? '')
  if (facts === undefined || facts.chatId !== context.req.param('id')) throw ticketNotValid()
  const headers = new Headers(facts.headers.map(([name, value]) => [name, value]))
  const { ownerId } = await identify(withHeaders(askerOf(context), headers), options).catch(error => {
    throw error instanceof ProblemError && error.status === 401 ? ticketNotValid() : error
  })
  if (ownerId !== facts.ownerId) throw ticketNotValid()
  return { ownerId, sender: { roles: [], permittedTools: new Set() } }
}

function withHeaders(asker: Asker, headers: Headers): Asker {
  const url = new URL(asker.url)
  url.searchParams.delete('ticket')
  const authorization = headers.get('authorization') ?? undefined
  return { ...asker, url: url.href, authorization, headers: () => headers }
}

function ticketNotValid(): ProblemError {
  return new ProblemError(
    401,
    'ticket-not-valid',
    'The ticket has expired, is not for this chat, or is of somebody who is not signed in any more. Get a new one with POST /api/tickets.',
  )
}
