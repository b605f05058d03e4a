import { type ChatId, ProblemError } from '@throughline/protocol'
import type { FoundApproval } from '@throughline/store'
import type { HttpContext, Services } from '../request/context.ts'
import { decisionBody, readJsonBody, sessionIdFrom } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

/** The routes by which a person decides on a tool call that waits. */
export function approvalsRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, policy: 'owner', handle }
  }
  return [
    route('/api/approvals/:id', async context => {
      await decide(context, services, { id: context.req.param('id') ?? '' })
      return context.json({ result: 'decided' })
    }),
    // The same for the event API.
    route('/sessions/:id/approvals/:approvalId', async context => {
      const chatId = sessionIdFrom(context.req.param('id'))
      const id = context.req.param('approvalId') ?? ''
      const approved = await decide(context, services, { id, chatId })
      return context.json({ session_id: chatId, approval_id: id, approved })
    }),
  ]
}

interface Request {
  readonly id: string
  /** If given, the approval must be of this chat. */
  readonly chatId?: ChatId
}

/** Returns the decision. Throws when there is no such approval, or when it does not wait any more. */
async function decide(
  context: HttpContext,
  { approvals, store }: Services,
  { id, ...chat }: Request,
): Promise<boolean> {
  const decision = await readJsonBody(context, decisionBody)
  const ownerId = context.get('ownerId')
  const result = await approvals.decide(ownerId, id, { ...decision, ...chat })
  switch (result) {
    case 'decided':
      return decision.approved
    case 'not-waiting':
      throw notWaiting((await store.approvals.find(ownerId, id))?.status)
    case 'not-found':
      throw new ProblemError(
        404,
        'approval-not-found',
        `There is no request ${JSON.stringify(id.slice(0, 100))}.`,
      )
  }
}

/** For somebody whose decision came too late. It says what the first decision was, if there was one. */
function notWaiting(status: FoundApproval['status'] | undefined): ProblemError {
  const isDecided = status === 'approved' || status === 'denied'
  const detail = isDecided
    ? `This request was ${status} already. Only the first decision counts.`
    : 'Nobody waits for this request any more: its time is over, or its answer has ended.'
  return new ProblemError(409, 'approval-not-waiting', detail, { approvalStatus: status ?? 'void' })
}
