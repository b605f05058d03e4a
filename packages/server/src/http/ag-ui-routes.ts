import { logName } from '@throughline/log/log-store'
import { type ChatKey, isMessageId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { Run } from '@throughline/store/runs'
import { isPerson } from '../runs/person.ts'
import { type AgUiBody, agUiBody, questionIn } from './ag-ui-body.ts'
import { carryOut, findResumed } from './ag-ui-resume.ts'
import { agUiSubmission } from './ag-ui-submission.ts'
import type { HttpContext, Services } from './context.ts'
import { forPerson } from './problems.ts'
import { chatIdFrom, readBody } from './requests.ts'
import { seatOf } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { SentAnswers } from './sent-answers.ts'
import { streamAgUi } from './stream-ag-ui.ts'
import { agUiSubAgentsFrom, atApprovalsFrom } from './wire-form.ts'

/** The route that AG-UI clients use. */
export function agUiRoutes(services: Services): readonly Route[] {
  const told = new SentAnswers()
  const handle = (context: HttpContext) => runAgent(context, services, told)
  return [{ method: 'POST', path: '/ag-ui', policy: 'owner', handle }]
}

async function runAgent(context: HttpContext, services: Services, told: SentAnswers): Promise<Response> {
  assertTakesEventStream(context.req.header('accept'))
  const form = { subAgents: agUiSubAgentsFrom(context), approvals: atApprovalsFrom(context) }
  const body = await readBody(context, agUiBody)
  const { agent = '' } = body.forwardedProps
  if (isPerson(agent)) throw forPerson(agent)
  const asked = { ownerId: context.get('ownerId'), chatId: chatIdFrom(body.threadId), body }
  const seat = seatOf(context, services, asked)
  const resumed = await findResumed(services, { ...asked, ...body, resume: body.resume ?? [] })
  if (resumed !== undefined && !(await asksAnother(services, asked, resumed.run))) {
    await carryOut(services, resumed)
    return streamAgUi(context, services, { ...resumed, ...form, body, seat, told })
  }
  // Who writes instead of allowing what was asked for does not want it any more. What was allowed is done first.
  const isAllowed = [...(resumed?.decisions.values() ?? [])].some(({ approved }) => approved)
  if (resumed !== undefined && isAllowed) await carryOut(services, resumed)
  const onBusy = body.forwardedProps.onBusy ?? (isAllowed ? 'queue' : 'interrupt-unviewed')
  const submission = await agUiSubmission(services, { ...asked, onBusy }, told)
  // Before the run begins, or is found to have begun: whoever asks again was not there all the time.
  const { seq: joinedAt } = await services.store.log.open(logName(asked))
  const run = await services.runner.submit(submission, seat)
  return streamAgUi(context, services, { run, ...form, body, seat, told, joinedAt })
}

interface Asked extends ChatKey {
  readonly body: AgUiBody
}

/** Whether the client also brings a message that is not the one which the run answers. */
async function asksAnother({ store }: Services, { body, ...chat }: Asked, run: Run): Promise<boolean> {
  const { id } = questionIn(body.messages)
  return id !== run.userMessageId && isMessageId(id) && (await store.messages.find(chat, id)) === undefined
}

/** Events come as server-sent events only. Who names what they take, and not this, must hear of it. */
function assertTakesEventStream(accept: string | undefined): void {
  if (accept === undefined || accept.split(',').some(takesEventStream)) return
  throw new ProblemError(
    406,
    'event-stream-only',
    'Events are sent as text/event-stream only. Send "accept: text/event-stream".',
  )
}

function takesEventStream(range: string): boolean {
  const [type = '', ...parameters] = range.split(';').map(each => each.trim().toLowerCase())
  const isRefused = parameters.some(each => /^q=0(\.0*)?$/.test(each))
  return !isRefused && ['', '*/*', 'text/*', 'text/event-stream'].includes(type)
}
