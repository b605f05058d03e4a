import { noContext } from '@throughline/agents/internal'
import { createId, isChatId, isMessageId, type OwnerId, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { z } from 'zod'
import type { Presence } from '../../stream/chat-viewers.ts'
import { awaitAnswer, lateQuery, queryForm } from '../../stream/events/query-form.ts'
import { type QueryAnswer, type QueryLevel, queryUsage } from '../../stream/events/query-projection.ts'
import type { AtWaits } from '../../stream/view-run.ts'
import { isPerson } from '../../who/person.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { forPerson } from '../request/problems.ts'
import { askedOnBusy, readJsonBody, sessionIdFrom } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type JsonResponse, jsonWhenReady } from '../respond/json-when-ready.ts'
import { presenceOf } from '../respond/respond-with-stream.ts'
import type { RunToStream } from '../respond/stream-run.ts'
import { streamWhenBegun } from '../respond/stream-when-begun.ts'
import { atApprovalsFrom } from '../respond/wire-form.ts'
import { submissionFrom } from '../submit/submission.ts'

/** The routes of the event API: a client sends one message, and gets the answer as events or as one JSON object. */
export function queryRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, policy: 'owner', handle }
  }
  return [
    route('/agent/query-stream-delta', context => streamQuery(context, services, 'delta')),
    route('/agent/query-stream', context => streamQuery(context, services, 'step')),
    route('/agent/query', context => respondWhenAnswered(context, services)),
  ]
}

// Some clients send `null` for what they do not have.
const queryBody = z.object({
  message: z.string(),
  session_id: z.string().nullish(),
  /** Makes a retry idempotent: within one session, a message is answered once. */
  message_id: z.string().nullish(),
  /** The answer that the client has begun to read. The client gets this one again, or an error, but never a new answer. */
  answer_id: z.string().nullish(),
  agent: z.string().nullish(),
  /** Where the person is: agents that people define can belong to a workspace, and to pages. */
  workspace_id: z.string().max(128).nullish(),
  page_id: z.string().max(128).nullish(),
  onBusy: askedOnBusy,
})

async function streamQuery(context: HttpContext, services: Services, level: QueryLevel): Promise<Response> {
  const { run, presence, headers } = await submitQuery(context, services)
  const show = (begun: Run): RunToStream => {
    const form = queryForm(begun, { level, files: services.store.files })
    return { run: begun, presence, form, approvals: 'wait', headers: idHeaders(begun) }
  }
  return streamWhenBegun(context, services, { run, show, ...lateQuery(headers, services.now) })
}

async function respondWhenAnswered(context: HttpContext, services: Services): Promise<Response> {
  const approvals = atApprovalsFrom(context)
  const query = await submitQuery(context, services)
  return jsonWhenReady(context, services, { ready: answered(context, services, { ...query, approvals }) })
}

async function answered(
  context: HttpContext,
  services: Services,
  { run: begun, presence, approvals }: SubmittedQuery & { readonly approvals: AtWaits },
): Promise<JsonResponse> {
  const run = await begun
  presence.take()
  const signal = context.env.closed
  const { over: closing } = services
  try {
    const answer = await awaitAnswer(services.store, run, { approvals, signal, closing })
    const status = answer.end === undefined ? 202 : 200
    return { body: bodyFrom(run, answer), status, headers: idHeaders(run) }
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

/** A query whose run may have to wait for its session. */
interface SubmittedQuery {
  readonly run: Promise<Run>
  readonly presence: Presence
  /** The ids that are known before the run has begun. */
  readonly headers: Readonly<Record<string, string>>
}

async function submitQuery(context: HttpContext, services: Services): Promise<SubmittedQuery> {
  const body = await readJsonBody(context, queryBody)
  const { session_id, message_id, answer_id, message: text, agent } = body
  const ownerId = context.get('ownerId')
  if (answer_id != null) {
    const run = await begunRun(services, ownerId, { session_id, message_id, answer_id })
    return {
      run: Promise.resolve(run),
      presence: presenceOf(context, services, run),
      headers: idHeaders(run),
    }
  }
  if (isPerson(agent ?? '')) throw forPerson(agent ?? '')
  const message = {
    id: message_id ?? createId(isMessageId, 'msg'),
    role: 'user',
    parts: [{ type: 'text', text }],
  }
  const submission = await submissionFrom(services, {
    ownerId,
    sender: context.get('sender'),
    chatId: session_id == null ? createId(isChatId, 'chat') : sessionIdFrom(session_id),
    message,
    agent: agent ?? undefined,
    context: {
      ...noContext,
      workspaceId: body.workspace_id ?? undefined,
      pageId: body.page_id ?? undefined,
    },
    // A client of the documents only closes its connection before it asks the next question.
    onBusy: body.onBusy ?? 'interrupt-unviewed',
  })
  const presence = presenceOf(context, services, submission)
  const headers = { 'x-session-id': submission.chatId, 'x-message-id': submission.message.id }
  return { run: services.runner.submit(submission, presence), presence, headers }
}

interface BegunAnswer {
  readonly session_id: string | null | undefined
  readonly message_id: string | null | undefined
  readonly answer_id: string
}

/** Returns the run of an earlier answer. Throws a 404 problem when it is gone, because the session was cleared for example. */
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
    `Session ${chatId} has no answer ${JSON.stringify(answer_id.slice(0, 128))} to this message. Leave "answer_id" out to ask the question again.`,
  )
}

/** The ids with which a client can ask again for the same answer. */
function idHeaders({ chatId, userMessageId, answerId }: Run): Readonly<Record<string, string>> {
  return { 'x-session-id': chatId, 'x-message-id': userMessageId, 'x-answer-id': answerId }
}

function bodyFrom(run: Run, { text, metadata, end, requests, outputs: open }: QueryAnswer) {
  const approvals = requests.map(({ type: _, ...request }) => request)
  const outputs = open.map(({ type: _, ...request }) => request)
  return {
    session_id: run.chatId,
    message_id: run.userMessageId,
    answer_id: run.answerId,
    ...(end ?? { status: 'waiting', approvals, ...(outputs.length > 0 && { outputs }) }),
    content: text,
    // The usage is known only when the answer has ended.
    ...(end && { usage: queryUsage(metadata.usage) }),
  }
}
