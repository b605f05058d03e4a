import { ProblemError } from '@throughline/protocol'
import { z } from 'zod'
import type { HttpContext } from './context.ts'
import { type Asker, askerOf, identify } from './identify.ts'
import type { Identified, IdentifyOptions } from './identity.ts'
import { chatIdFrom, readBody } from './requests.ts'
import type { Route } from './route.ts'
import type { Tickets } from './tickets.ts'

/** The route that issues tickets. The chat does not have to exist yet. */
export function ticketsRoutes(tickets: Tickets): readonly Route[] {
  return [
    { method: 'POST', path: '/api/tickets', policy: 'owner', handle: context => issue(context, tickets) },
  ]
}

const ticketBody = z.object({ chatId: z.string() })

async function issue(context: HttpContext, tickets: Tickets): Promise<Response> {
  const body = await readBody(context, ticketBody)
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
