import { logName } from '@throughline/log'
import { idRule, isRecord, isRunId, ProblemError, type RunId } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { Submission } from '../../admission/submission.ts'
import { dataStreamHeaders } from '../../stream/data-stream/data-stream-form.ts'
import { runStart } from '../../stream/run-pages.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatNotFound } from '../request/problems.ts'
import { readJsonText } from '../request/read-body.ts'
import { chatBody, chatIdFrom, chatNamedIn, readMessageBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { presenceOf } from '../respond/respond-with-stream.ts'
import { streamWhenBegun } from '../respond/stream-when-begun.ts'
import { askedPosition, parameter, streamFormFrom } from '../respond/wire-form.ts'
import { contentSubmission, isContentMessage } from '../submit/content-submission.ts'
import { placedById } from '../submit/placed-by-id.ts'
import { shownMessage } from '../submit/shown-message.ts'
import {
  type AskedWithMessage,
  anotherAnswerFrom,
  editFrom,
  shownAgainFrom,
  submissionFrom,
} from '../submit/submission.ts'
import { positionAt, startOfActiveRun } from './position-in-run.ts'
import { positionAfterDecisions } from './stock-decisions.ts'
import { lateChat, shownChat, streamChat } from './stream-chat.ts'
import { startIndexFrom, streamFromIndex } from './stream-from-index.ts'

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
    message: stockQuestion(body),
    // Stock clients of other servers may send a model that nobody here can choose.
    model: services.system.models.size === 0 ? undefined : body.model,
    isDataStream: form.form === 'data-stream',
    closed: context.env.closed,
  }
  const presence = presenceOf(context, services, asked)
  const continued = await positionAfterDecisions(services, {
    ...asked,
    messages: body.messages ?? [body.message],
  })
  if (continued !== undefined) return streamChat(context, services, { ...continued, ...form, presence })
  const submission = await stockSubmission(services, asked)
  const { log } = services.store
  // This comes before the run begins. If the message was sent before, the client missed the UI events up to now.
  const { seq: joinedAt } = await log.open(logName(asked))
  return streamWhenBegun(context, services, {
    run: services.runner.submit(submission, presence),
    show: async run => shownChat({ run, presence, after: await runStart(log, run), joinedAt, ...form }),
    ...lateChat(form),
  })
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
        presence: presenceOf(context, services, chat),
        events: asked?.events ?? 0,
        ...form,
      })
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const chat = chatNamedIn(context)
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

/** A request of `POST /api/chat`, with its sender. */
interface StockRequest extends AskedWithMessage {
  /** All messages that the page shows, with the new one. Without it the message goes to the end of the chat. */
  readonly messages?: readonly unknown[] | undefined
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined
  readonly messageId?: string | undefined
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
  /** The client reads data stream lines. */
  readonly isDataStream: boolean
}

/**
 * Returns what a stock client asks for: another answer (`regenerate()`), an edit (`sendMessage` with a `messageId`),
 * or a new message.
 *
 * A new message follows what the page shows before it. So the agent reads what the person sees, and a client that
 * edits by cutting its history gets a branch.
 */
async function stockSubmission(services: Services, asked: StockRequest): Promise<Submission> {
  const { trigger, messageId, message, isDataStream, closed } = asked
  const shown = asked.messages?.map(shownMessage)
  if (trigger === 'regenerate-message') {
    if (message === undefined) return anotherAnswerFrom(services, { ...asked, messageId: messageId ?? '' })
    return placedById(services, await shownAgainFrom(services, asked), { shown, closed })
  }
  if (isContentMessage(message, isDataStream))
    return contentSubmission(services, { ...asked, message, shown })
  const submission =
    messageId === undefined
      ? await submissionFrom(services, asked)
      : await editFrom(services, { ...asked, messageId })
  // The stock transport says why it sends, and sends everything that the page shows. A program may send only its new
  // message, and say nothing. Then the message goes to the end.
  const isAllItShows = trigger !== undefined || (shown !== undefined && shown.length > 1)
  return isAllItShows ? placedById(services, submission, { shown, closed }) : submission
}

/** Returns the newest message of the user in what a client sent. */
function stockQuestion({
  messages = [],
  message,
}: Pick<StockRequest, 'messages'> & { readonly message?: unknown }): unknown {
  return message ?? messages.findLast(each => isRecord(each) && each['role'] === 'user')
}
