import { logName } from '@throughline/log'
import { type ChatKey, isMessageId, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { agUiForm, lateAgUi, type SeenAgUi } from '../../stream/ag-ui/ag-ui-form.ts'
import type { AgUiSubAgents } from '../../stream/ag-ui/ag-ui-request.ts'
import { parseEventId, parseWaitEventId } from '../../stream/bytes/sse-events.ts'
import type { Presence } from '../../stream/chat-viewers.ts'
import type { RunForm } from '../../stream/run-form.ts'
import { runStart } from '../../stream/run-pages.ts'
import { type AtWaits, endAtWait } from '../../stream/view-run.ts'
import { isPerson } from '../../who/person.ts'
import { type PositionInRun, positionAt, positionUnknown } from '../chat/position-in-run.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound, forPerson } from '../request/problems.ts'
import { chatIdFrom, readMessageBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { presenceOf, respondWithStream } from '../respond/respond-with-stream.ts'
import { type RunToStream, streamRun } from '../respond/stream-run.ts'
import { streamWhenBegun } from '../respond/stream-when-begun.ts'
import { agUiSubAgentsFrom, atApprovalsFrom } from '../respond/wire-form.ts'
import { type AgUiRequestBody, agUiRequestForm, questionIn, withoutAnswer } from './ag-ui-body.ts'
import { carryOut, findResumed } from './ag-ui-resume.ts'
import { agUiSubmission } from './ag-ui-submission.ts'
import { SentAnswers } from './sent-answers.ts'

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
  const body = await readMessageBody(context, agUiRequestForm)
  const { agent = '' } = body.forwardedProps
  if (isPerson(agent)) throw forPerson(agent)
  const [ownerId, sender] = [context.get('ownerId'), context.get('sender')]
  const asked = { ownerId, chatId: chatIdFrom(body.threadId), body }
  const presence = presenceOf(context, services, asked)
  const lastEventId = context.req.header('last-event-id') ?? body.forwardedProps.lastEventId
  if (lastEventId !== undefined)
    return continueAgUi(context, services, { ...asked, ...form, lastEventId, presence, sent })
  const resumed = await findResumed(services, { ...asked, ...body, resume: body.resume ?? [] })
  if (resumed !== undefined && !(await asksAnother(services, asked, resumed.run))) {
    await carryOut(services, resumed)
    return streamAgUi(context, services, {
      ...resumed,
      ...form,
      seen: await nothingOf(services, resumed.run),
      body,
      presence,
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
  return streamWhenBegun(context, services, {
    run: services.runner.submit(submission, presence),
    async show(run) {
      const seen = await nothingOf(services, run)
      return shownAgUi({ run, seen, ...form, body, presence, sent, joinedAt })
    },
    ...lateAgUi,
  })
}

/** What a client has seen of a run when it begins to read it. */
async function nothingOf({ store }: Services, run: Run): Promise<SeenAgUi> {
  return { after: await runStart(store.log, run), events: 0 }
}

interface Asked extends ChatKey {
  readonly body: AgUiRequestBody
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

/**
 * What this server can do, as AG-UI's `AgentCapabilities`. AG-UI says what this object looks like, but not where a client
 * gets it from: `HttpAgent` does not ask for it.
 */
const agUiCapabilities = {
  transport: { streaming: true, resumable: true },
  multiAgent: { supported: true, delegation: true },
  reasoning: { supported: true, streaming: true },
  humanInTheLoop: { supported: true, approvals: true, interrupts: true, approveWithEdits: false },
} as const

/** A client that was cut off, and comes back with the id of the last event that it has. */
interface CameBack extends ChatKey {
  readonly lastEventId: string
  readonly body: AgUiRequestBody
  readonly subAgents: AgUiSubAgents
  readonly approvals: AtWaits
  readonly presence: Presence
  readonly sent: SentAnswers
}

/**
 * Responds with the events of an AG-UI run after the last one that the client has seen. It only reads: it begins no run,
 * and carries out no decision. Throws a 410 problem for an id that is not one of this thread.
 *
 * The client sends the same body as before. The events follow from the log and from that body, so they are the same as
 * the first time.
 */
async function continueAgUi(
  context: HttpContext,
  services: Services,
  { lastEventId, ...asked }: CameBack,
): Promise<Response> {
  const { ownerId, chatId } = asked
  const chat = { ownerId, chatId }
  if ((await services.store.chats.get(chat)) === undefined) throw chatNotFound(chatId)
  const wait = parseWaitEventId(lastEventId)
  const { position, events } = wait === undefined ? parseEventId(lastEventId) : { ...wait, events: 0 }
  const found = await positionAt(services, chat, { position, events, isLastSeen: true })
  if (found === undefined) throw await positionUnknown(services, chat, lastEventId)
  const shown: ShownAgUi = {
    ...asked,
    ...found,
    ...(await interruptBefore(services, asked, found)),
    seen: { after: found.after, events, atWait: wait?.events ?? 0 },
  }
  if (wait === undefined) return streamAgUi(context, services, shown)
  const end = await endAtWait(services.store.log, found.run, { form: agUiFormFor(shown), at: found.after })
  if (end === undefined) throw await positionUnknown(services, chat, lastEventId)
  return respondWithStream(context, services, {
    presence: asked.presence,
    async *view() {
      yield end
    },
  })
}

/** Returns where this AG-UI run began, and what the client gave it, if it resumed an earlier one. */
async function interruptBefore(
  services: Services,
  { ownerId, chatId, body }: Omit<CameBack, 'lastEventId'>,
  { run }: PositionInRun,
): Promise<Pick<ShownAgUi, 'resumesAfter' | 'answered'>> {
  const { messages, resume } = body
  const resumed = await findResumed(services, { ownerId, chatId, messages, resume: resume ?? [] })
  if (resumed?.run.id !== run.id) return {}
  const { resumesAfter, answered } = resumed
  return { resumesAfter, answered }
}

/** What an AG-UI client is shown of a run. */
interface ShownAgUi {
  readonly run: Run
  readonly body: AgUiRequestBody
  readonly subAgents: AgUiSubAgents
  readonly approvals: AtWaits
  /** What the client has of the events of this AG-UI run. */
  readonly seen: SeenAgUi
  /** The client has the run's last event already. */
  readonly isAtEnd?: boolean | undefined
  /** The client resumes an interrupted AG-UI run: it has everything up to this entry from that one. */
  readonly resumesAfter?: number | undefined
  /** The calls whose results the client has made itself. */
  readonly answered?: ReadonlySet<string> | undefined
  /** The last entry that was in the log when the client asked. */
  readonly joinedAt?: number | undefined
  readonly presence: Presence
  /** Records that the answer was sent to its end. */
  readonly sent: SentAnswers
}

/** Responds to an AG-UI client with a run as AG-UI events. */
function streamAgUi(context: HttpContext, services: Services, shown: ShownAgUi): Promise<Response> {
  return streamRun(context, services, shownAgUi(shown))
}

/** Returns what an AG-UI client is shown of a run. */
function shownAgUi(shown: ShownAgUi): RunToStream {
  const { run, approvals, isAtEnd, joinedAt, presence, sent } = shown
  // Not the body: it would stay in memory as long as the stream.
  const { runId } = shown.body
  return {
    run,
    form: agUiFormFor(shown),
    approvals,
    isAtEnd,
    joinedAt,
    presence,
    // The server cannot know more: the client may still lose the bytes on their way.
    onSent: () => sent.add(run, runId),
  }
}

/** Returns the form of a run for one AG-UI client. */
function agUiFormFor({ run, body, subAgents, resumesAfter, answered, seen }: ShownAgUi): RunForm {
  const { threadId, runId, protocolVersion, messages } = body
  const { answerId } = run
  const snapshot = resumesAfter === undefined ? withoutAnswer(messages, answerId) : undefined
  const request = { threadId, runId, protocolVersion, answerId, subAgents, snapshot, resumesAfter, answered }
  return agUiForm(run, request, seen)
}
