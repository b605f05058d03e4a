import { type ChatId, ProblemError } from '@throughline/protocol'
import type { FoundApproval } from '@throughline/store'
import type { HttpContext, Services } from '../request/context.ts'
import { outputTooLarge } from '../request/problems.ts'
import { decisionBody, outputBody, readJsonBody, sessionIdFrom } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

/**
 * The routes for what runs wait for: a person decides on a tool call, and a program, or a person, gives a call its output.
 * The event API has each of them with a path of its own.
 */
export function waitsRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, policy: 'owner', handle }
  }
  return [
    route('/api/approvals/:id', async context => {
      await decide(context, services, { id: context.req.param('id') ?? '' })
      return context.json({ result: 'decided' })
    }),
    route('/sessions/:id/approvals/:approvalId', async context => {
      const chatId = sessionIdFrom(context.req.param('id'))
      const id = context.req.param('approvalId') ?? ''
      const approved = await decide(context, services, { id, chatId })
      return context.json({ session_id: chatId, approval_id: id, approved })
    }),
    route('/api/outputs/:id', async context => {
      await give(context, services, { id: context.req.param('id') ?? '' })
      return context.json({ result: 'given' })
    }),
    route('/sessions/:id/outputs/:requestId', async context => {
      const chatId = sessionIdFrom(context.req.param('id'))
      const id = context.req.param('requestId') ?? ''
      await give(context, services, { id, chatId })
      return context.json({ session_id: chatId, request_id: id })
    }),
  ]
}

/** Names the approval, or the output, that a run waits for. */
interface Wanted {
  readonly id: string
  /** If given, the run must be of this chat. */
  readonly chatId?: ChatId
}

/** Returns the decision. Throws when there is no such approval, or when it does not wait any more. */
async function decide(
  context: HttpContext,
  { approvals, store }: Services,
  { id, ...chat }: Wanted,
): Promise<boolean> {
  const decision = await readJsonBody(context, decisionBody)
  const ownerId = context.get('ownerId')
  const result = await approvals.decide(ownerId, id, { ...decision, ...chat })
  switch (result) {
    case 'decided':
      return decision.approved
    case 'not-waiting':
      throw approvalNotWaiting((await store.approvals.find(ownerId, id))?.status)
    case 'not-found':
      throw notFound('approval-not-found', id)
  }
}

/** For somebody whose decision came too late. It says what the first decision was, if there was one. */
function approvalNotWaiting(status: FoundApproval['status'] | undefined): ProblemError {
  const isDecided = status === 'approved' || status === 'denied'
  const detail = isDecided
    ? `This request was ${status} already. Only the first decision counts.`
    : 'Nobody waits for this request any more: its time is over, or its answer has ended.'
  return new ProblemError(409, 'approval-not-waiting', detail, { approvalStatus: status ?? 'void' })
}

/** Throws when there is no such request, or when it does not wait any more. The same output again is accepted. */
async function give(context: HttpContext, services: Services, wanted: Wanted): Promise<void> {
  const body = await readJsonBody(context, outputBody)
  const ownerId = context.get('ownerId')
  const given =
    'errorText' in body
      ? ({ type: 'error', errorText: body.errorText } as const)
      : ({ type: 'output', output: body.output } as const)
  const result = await services.outputs.give({ ...wanted, ownerId }, given)
  switch (result) {
    case 'given':
      return
    case 'other':
      throw outputNotWaiting('The call has got another output already. Only the first one counts.')
    case 'over':
      throw outputNotWaiting(
        'Nobody waits for this output any more: its time is over, or its answer has ended.',
      )
    case 'too-large':
      throw outputTooLarge(services)
    case 'not-found':
      throw notFound('output-request-not-found', wanted.id)
  }
}

function outputNotWaiting(detail: string): ProblemError {
  return new ProblemError(409, 'output-not-waiting', detail)
}

function notFound(code: 'approval-not-found' | 'output-request-not-found', id: string): ProblemError {
  return new ProblemError(404, code, `There is no request ${JSON.stringify(id.slice(0, 100))}.`)
}
