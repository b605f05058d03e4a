import { noContext } from '@throughline/agents/run/request-context'
import { createId, isChatId, isMessageId, type OwnerId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { Run } from '@throughline/store/runs'
import { z } from 'zod'
import type { Seat } from '../runs/chat-viewers.ts'
import { isPerson } from '../runs/person.ts'
import { openRequests } from '../stream/events/query-calls.ts'
import type { QueryLevel, QueryState } from '../stream/events/query-projection.ts'
import { queryUsage } from '../stream/events/query-usage.ts'
import { awaitQuery, viewQuery } from '../stream/events/query-view.ts'
import type { HttpContext, Services } from './context.ts'
import { forPerson } from './problems.ts'
import { onBusy, readBody } from './requests.ts'
import { closed, respondWithStream, seatOf } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { sessionIdFrom } from './session-id.ts'
import { submissionFrom } from './submission.ts'
import { approvalFormFrom } from './wire-form.ts'

/** The event API: one question, and the answer as events or as one piece. */
export function queryRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, policy: 'owner', handle }
  }
  return [
    route('/agent/query-stream-delta', context => streamQuery(context, services, 'delta')),
    route('/agent/query-stream', context => streamQuery(context, services, 'step')),
    route('/agent/query', context => answerQuery(context, services)),
  ]
}

// Clients that have no session yet send null as often as nothing.
const queryBody = z.object({
  message: z.string(),
  session_id: z.string().nullish(),
  /** Makes a retry the same question: within one session, a message is answered once. */
  message_id: z.string().nullish(),
  /** The answer that the client has begun to read. It gets this one again, or a problem: never a new answer. */
  answer_id: z.string().nullish(),
  agent: z.string().nullish(),
  onBusy,
})

async function streamQuery(context: HttpContext, services: Services, level: QueryLevel): Promise<Response> {
  const { run, seat } = await submitQuery(context, services)
  return respondWithStream(context, services, {
    seat,
    view: signals => viewQuery(services.store, { run, level }, signals),
    headers: idHeaders(run),
  })
}

async function answerQuery(context: HttpContext, services: Services): Promise<Response> {
  const isPatient = approvalFormFrom(context) === 'wait'
  const { run, seat } = await submitQuery(context, services)
  seat.take()
  const signal = closed(context.env.outgoing)
  const { closing } = services
  try {
    const query = await awaitQuery(services.store, { run, isPatient }, { signal, closing })
    return context.json(answerFrom(run, query), query.end === undefined ? 202 : 200, idHeaders(run))
  } catch (error) {
    if (!signal.aborted && !closing.aborted) throw error
    throw new ProblemError(
      503,
      'shutting-down',
      'The server is shutting down. Send the same session_id and message_id again to get the answer.',
      { session_id: run.chatId, message_id: run.userMessageId },
    )
  }
}

async function submitQuery(context: HttpContext, services: Services): Promise<{ run: Run; seat: Seat }> {
  const body = await readBody(context, queryBody)
  const { session_id, message_id, answer_id, message: text, agent } = body
  const ownerId = context.get('ownerId')
  if (answer_id != null) {
    const run = await begunRun(services, ownerId, { session_id, message_id, answer_id })
    return { run, seat: seatOf(context, services, run) }
  }
  if (isPerson(agent ?? '')) throw forPerson(agent ?? '')
  const message = {
    id: message_id ?? createId(isMessageId, 'msg'),
    role: 'user',
    parts: [{ type: 'text', text }],
  }
  const submission = submissionFrom(services, {
    ownerId,
    chatId: session_id == null ? createId(isChatId, 'chat') : sessionIdFrom(session_id),
    message,
    agent: agent ?? undefined,
    context: noContext,
    onBusy: body.onBusy,
  })
  const seat = seatOf(context, services, submission)
  return { run: await services.runner.submit(submission, seat), seat }
}

interface BegunAnswer {
  readonly session_id: string | null | undefined
  readonly message_id: string | null | undefined
  readonly answer_id: string
}

/** The run of an answer that began before. The session may have been cleared since: then there is none any more. */
async function begunRun(
  { store }: Services,
  ownerId: OwnerId,
  { session_id, message_id, answer_id }: BegunAnswer,
): Promise<Run> {
  const chatId = sessionIdFrom(session_id ?? undefined)
  const run = isMessageId(answer_id) ? await store.runs.ofAnswer({ ownerId, chatId }, answer_id) : undefined
  if (run !== undefined && run.userMessageId === (message_id ?? run.userMessageId)) return run
  throw new ProblemError(
    404,
    'answer-not-found',
    `Session ${chatId} has no answer ${JSON.stringify(answer_id.slice(0, 128))} to this message. Leave "answer_id" out to ask anew.`,
  )
}

/** Enough to ask again for the same answer. */
function idHeaders({ chatId, userMessageId, answerId }: Run): Readonly<Record<string, string>> {
  return { 'x-session-id': chatId, 'x-message-id': userMessageId, 'x-answer-id': answerId }
}

function answerFrom(run: Run, { text, metadata, end, calls }: QueryState) {
  const approvals = openRequests(calls).map(({ type: _, ...request }) => request)
  return {
    session_id: run.chatId,
    message_id: run.userMessageId,
    answer_id: run.answerId,
    ...(end ?? { status: 'waiting', approvals }),
    content: text,
    // What an answer uses is known when it has ended.
    ...(end && { usage: queryUsage(metadata.usage) }),
  }
}
