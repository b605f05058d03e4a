import { type ChatId, ProblemError } from '@throughline/protocol'
import type { HttpContext, Services } from '../request/context.ts'
import { outputTooLarge } from '../request/problems.ts'
import { outputBody, readJsonBody, sessionIdFrom } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

/** The routes by which a program, or a person, gives a call the output that it waits for. */
export function outputsRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, policy: 'owner', handle }
  }
  return [
    route('/api/outputs/:id', async context => {
      await give(context, services, { id: context.req.param('id') ?? '' })
      return context.json({ result: 'given' })
    }),
    // The same for the event API.
    route('/sessions/:id/outputs/:requestId', async context => {
      const chatId = sessionIdFrom(context.req.param('id'))
      const id = context.req.param('requestId') ?? ''
      await give(context, services, { id, chatId })
      return context.json({ session_id: chatId, request_id: id })
    }),
  ]
}

interface Request {
  readonly id: string
  /** If given, the call must be of this chat. */
  readonly chatId?: ChatId
}

/** Throws when there is no such request, or when it does not wait any more. The same output again is accepted. */
async function give(context: HttpContext, services: Services, request: Request): Promise<void> {
  const body = await readJsonBody(context, outputBody)
  const ownerId = context.get('ownerId')
  const given =
    'errorText' in body
      ? ({ type: 'error', errorText: body.errorText } as const)
      : ({ type: 'output', output: body.output } as const)
  const result = await services.outputs.give({ ...request, ownerId }, given)
  switch (result) {
    case 'given':
      return
    case 'other':
      throw notWaiting('The call has got another output already. Only the first one counts.')
    case 'over':
      throw notWaiting('Nobody waits for this output any more: its time is over, or its answer has ended.')
    case 'too-large':
      throw outputTooLarge(services)
    case 'not-found':
      throw new ProblemError(
        404,
        'output-request-not-found',
        `There is no request ${JSON.stringify(request.id.slice(0, 100))}.`,
      )
  }
}

function notWaiting(detail: string): ProblemError {
  return new ProblemError(409, 'output-not-waiting', detail)
}
