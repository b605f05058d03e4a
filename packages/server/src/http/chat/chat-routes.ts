import { logName } from '@throughline/log'
import { idRule, isRecord, isRunId, ProblemError, type RunId } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { dataStreamHeaders } from '../../stream/data-stream/data-stream-form.ts'
import { runStart } from '../../stream/run-pages.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatNotFound } from '../problems.ts'
import { readJsonText } from '../read-body.ts'
import { chatBody, chatFrom, chatIdFrom, readMessageBody } from '../requests.ts'
import { seatOf } from '../respond-with-stream.ts'
import type { Route } from '../route.ts'
import { askedPosition, parameter, streamFormFrom } from '../wire-form.ts'
import { positionAt, startOfActiveRun } from './position-in-run.ts'
import { startIndexFrom } from './start-index.ts'
import { positionAfterDecisions } from './stock-decisions.ts'
import { questionOf, type StockRequest, stockSubmission } from './stock-submission.ts'
import { streamChat } from './stream-chat.ts'
import { streamFromIndex } from './stream-from-index.ts'

/** The routes that stock AI SDK clients use. */
export function chatRoutes(services: Services): readonly Route[] {
  const postChat = (context: HttpContext) => postMessage(context, services)
  return [
    { method: 'POST', path: '/api/chat', policy: 'owner', handle: postChat },
    { method: 'POST', path: '/api/v1/console/playground/agent/stream', policy: 'owner', handle: postChat },
    {
      method: 'GET',
      path: '/api/chat',
      policy: 'owner',
      handle: context => resumeAsAiSdk4(context, services),
    },
    {
      method: 'GET',
      path: '/api/chat/:id/stream',
      policy: 'owner',
      takesTicket: true,
      handle: context => resumeRun(context, services, context.req.param('id') ?? ''),
    },
    {
      method: 'POST',
      path: '/api/chat/:id/stop',
      policy: 'owner',
      savesNothing: true,
      handle: context => stopRun(context, services),
    },
  ]
}

async function postMessage(context: HttpContext, services: Services): Promise<Response> {
  const form = streamFormFrom(context)
  const body = await readMessageBody(context, chatBody)
  const asked: StockRequest = {
    ...body,
    ownerId: context.get('ownerId'),
    sender: context.get('sender'),
    chatId: chatIdFrom(body.id ?? body.threadId),
    onBusy: body.onBusy ?? 'interrupt-unviewed',
    message: questionOf(body),
    // Stock clients of other servers may send a model that nobody here can choose.
    model: services.system.models.size === 0 ? undefined : body.model,
    isDataStream: form.form === 'data-stream',
    closed: context.env.closed,
  }
  const seat = seatOf(context, services, asked)
  const continued = await positionAfterDecisions(services, {
    ...asked,
    messages: body.messages ?? [body.message],
  })
  if (continued !== undefined) return streamChat(context, services, { ...continued, ...form, seat })
  const submission = await stockSubmission(services, asked)
  const { log } = services.store
  // This comes before the run begins. If the message was sent before, the client missed the UI events up to now.
  const { seq: joinedAt } = await log.open(logName(asked))
  const run = await services.runner.submit(submission, seat)
  return streamChat(context, services, { run, seat, after: await runStart(log, run), joinedAt, ...form })
}

/**
 * Responds to `experimental_resume()` of AI SDK 4. This client takes a response without a body for a failure. So when there
 * is nothing to resume, the response is an empty stream.
 */
async function resumeAsAiSdk4(context: HttpContext, services: Services): Promise<Response> {
  const chatId = parameter(context, 'chatId')
  if (chatId === undefined) {
    throw new ProblemError(
      400,
      'invalid-id',
      'The request does not say which chat is meant. Send "?chatId=" with its id.',
    )
  }
  const response = await resumeRun(context, services, chatId)
  const isNothing = response.status === 204 && streamFormFrom(context).form === 'data-stream'
  return isNothing ? context.body('', 200, dataStreamHeaders) : response
}

/** Responds with a run to a client that comes back. `id`: of a chat, or of a stream whose chunks the client counts. */
async function resumeRun(context: HttpContext, services: Services, id: string): Promise<Response> {
  const { store } = services
  const form = streamFormFrom(context)
  const asked = askedPosition(context, form)
  const startIndex = asked === undefined ? startIndexFrom(context, form) : undefined
  if (startIndex !== undefined) {
    const stream = await streamFromIndex(context, services, { ...form, id, startIndex })
    return stream ?? context.body(null, 204)
  }
  const chat = { ownerId: context.get('ownerId'), chatId: chatIdFrom(id) }
  if ((await store.chats.get(chat)) === undefined) {
    // A page may try to resume before its chat exists. But a client with a position must learn that its chat is gone.
    if (asked === undefined) return context.body(null, 204)
    throw chatNotFound(chat.chatId)
  }
  const position =
    asked === undefined ? await startOfActiveRun(services, chat) : await positionAt(services, chat, asked)
  return position === undefined
    ? context.body(null, 204)
    : streamChat(context, services, {
        ...position,
        seat: seatOf(context, services, chat),
        events: asked?.events ?? 0,
        ...form,
      })
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const chat = chatFrom(context)
  const only = await namedRun(context)
  const result = await services.runner.stop(chat, only)
  const statuses = { stopped: 200, stopping: 202, 'already-ended': 200, 'not-found': 404 } as const
  return context.json({ result }, statuses[result])
}

/**
 * Returns the run that a stop names, if it names one. The body may be missing or be anything else: most clients name no
 * run, and no stop is refused for that.
 */
async function namedRun(context: HttpContext): Promise<RunId | undefined> {
  const body = parseJson(await readJsonText(context))
  const named = isRecord(body) ? body['runId'] : undefined
  if (named === undefined || isRunId(named)) return named
  throw new ProblemError(400, 'invalid-body', `The body's field "runId" is not the id of a run. ${idRule}.`)
}
