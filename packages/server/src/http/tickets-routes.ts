import { ProblemError } from '@throughline/protocol'
import { z } from 'zod'
import type { HttpContext } from './context.ts'
import type { Identified } from './identity.ts'
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
  return context.json(tickets.issue(chat), 201, { 'cache-control': 'no-store' })
}

/**
 * Returns who holds the ticket in a request, and `undefined` when the request has none. Throws a 401 problem when the
 * ticket does not open the chat in the path. A ticket opens streams only, so its holder needs no tools.
 */
export function ticketHolder(context: HttpContext, tickets: Tickets): Identified | undefined {
  const ticket = context.req.query('ticket')
  if (ticket === undefined) return undefined
  const chat = tickets.read(ticket)
  if (chat !== undefined && chat.chatId === context.req.param('id'))
    return { ownerId: chat.ownerId, sender: { roles: [], permittedTools: new Set() } }
  throw new ProblemError(
    401,
    'ticket-not-valid',
    'The ticket has expired, or is not for this chat. Get a new one with POST /api/tickets.',
  )
}
