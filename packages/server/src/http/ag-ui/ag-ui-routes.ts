import { logName } from '@throughline/log'
import { type ChatKey, isMessageId, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { isPerson } from '../../runs/person.ts'
import type { SeenAgUi } from '../../stream/ag-ui/ag-ui-form.ts'
import { runStart } from '../../stream/run-pages.ts'
import type { HttpContext, Services } from '../context.ts'
import { forPerson } from '../problems.ts'
import { chatIdFrom, readMessageBody } from '../requests.ts'
import { seatOf } from '../respond-with-stream.ts'
import type { Route } from '../route.ts'
import { agUiSubAgentsFrom, atApprovalsFrom } from '../wire-form.ts'
import { type AgUiBody, agUiBody, questionIn } from './ag-ui-body.ts'
import { agUiCapabilities } from './ag-ui-capabilities.ts'
import { carryOut, findResumed } from './ag-ui-resume.ts'
import { agUiSubmission } from './ag-ui-submission.ts'
import { continueAgUi } from './continue-ag-ui.ts'
import { SentAnswers } from './sent-answers.ts'
import { streamAgUi } from './stream-ag-ui.ts'

/** The routes that AG-UI clients use. */
export function agUiRoutes(services: Services): readonly Route[] {
  const sent = new SentAnswers()
  return [
    {
      method: 'POST',
      path: '/ag-ui',
      policy: 'owner',
      handle: context => runAgent(context, services, sent),
    },
    {
      method: 'GET',
      path: '/ag-ui/capabilities',
      policy: 'owner',
      handle: context => context.json(agUiCapabilities),
    },
  ]
}

async function runAgent(context: HttpContext, services: Services, sent: SentAnswers): Promise<Response> {
  assertTakesEventStream(context.req.header('accept'))
  const form = { subAgents: agUiSubAgentsFrom(context), approvals: atApprovalsFrom(context) }
  const body = await readMessageBody(context, agUiBody)
  const { agent = '' } = body.forwardedProps
  if (isPerson(agent)) throw forPerson(agent)
  const [ownerId, sender] = [context.get('ownerId'), context.get('sender')]
  const asked = { ownerId, chatId: chatIdFrom(body.threadId), body }
  const seat = seatOf(context, services, asked)
  const lastEventId = context.req.header('last-event-id') ?? body.forwardedProps.lastEventId
  if (lastEventId !== undefined)
    return continueAgUi(context, services, { ...asked, ...form, lastEventId, seat, sent })
  const resumed = await findResumed(services, { ...asked, ...body, resume: body.resume ?? [] })
  if (resumed !== undefined && !(await asksAnother(services, asked, resumed.run))) {
    await carryOut(services, resumed)
    return streamAgUi(context, services, {
      ...resumed,
      ...form,
      seen: await nothingOf(services, resumed.run),
      body,
      seat,
      sent,
    })
  }
  // A new message beside a decision that allows nothing interrupts the answer. If anything was allowed, it is done first.
  const isAllowed =
    [...(resumed?.decisions.values() ?? [])].some(({ approved }) => approved) ||
    [...(resumed?.outputs.values() ?? [])].some(({ type }) => type === 'output')
  if (resumed !== undefined && isAllowed) await carryOut(services, resumed)
  const onBusy = body.forwardedProps.onBusy ?? (isAllowed ? 'queue' : 'interrupt-unviewed')
  const submission = await agUiSubmission(
    services,
    { ...asked, sender, onBusy, closed: context.env.closed },
    sent,
  )
  // This comes before the run begins. If the message was sent before, the client missed the UI events up to now.
  const { seq: joinedAt } = await services.store.log.open(logName(asked))
  const run = await services.runner.submit(submission, seat)
  const seen = await nothingOf(services, run)
  return streamAgUi(context, services, { run, seen, ...form, body, seat, sent, joinedAt })
}

/** What a client has seen of a run when it begins to read it. */
async function nothingOf({ store }: Services, run: Run): Promise<SeenAgUi> {
  return { after: await runStart(store.log, run), events: 0 }
}

interface Asked extends ChatKey {
  readonly body: AgUiBody
}

/** Whether the client also sends a new message: not the one that the run answers, and not one of the chat. */
async function asksAnother({ store }: Services, { body, ...chat }: Asked, run: Run): Promise<boolean> {
  const { id } = questionIn(body.messages)
  return id !== run.userMessageId && isMessageId(id) && (await store.messages.find(chat, id)) === undefined
}

/** Throws a 406 problem if the client does not accept server-sent events. There is no other format. */
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
