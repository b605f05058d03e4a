import { logName } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import { dataStreamHeaders } from '../stream/data-stream/data-stream-form.ts'
import { runStart } from '../stream/run-pages.ts'
import type { HttpContext, Services } from './context.ts'
import { activePlace, placeAt } from './place-in-run.ts'
import { chatNotFound } from './problems.ts'
import { chatBody, chatFrom, chatIdFrom, readBody } from './requests.ts'
import { seatOf } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { placeAfterApprovals } from './stock/stock-decisions.ts'
import { questionOf, type StockRequest, stockSubmission } from './stock/stock-submission.ts'
import { streamChat } from './stream-chat.ts'
import { askedPosition, parameter, streamFormFrom } from './wire-form.ts'

/** The routes that stock AI SDK clients use. */
export function chatRoutes(services: Services): readonly Route[] {
  const postChat = (context: HttpContext) => answerWithRun(context, services)
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
      handle: context => resumeRun(context, services, chatFrom(context)),
    },
    {
      method: 'POST',
      path: '/api/chat/:id/stop',
      policy: 'owner',
      handle: context => stopRun(context, services),
    },
  ]
}

async function answerWithRun(context: HttpContext, services: Services): Promise<Response> {
  const form = streamFormFrom(context)
  const body = await readBody(context, chatBody)
  const asked: StockRequest = {
    ...body,
    ownerId: context.get('ownerId'),
    chatId: chatIdFrom(body.id ?? body.threadId),
    onBusy: body.onBusy ?? 'interrupt-unviewed',
    message: questionOf(body),
    isDataStream: form.form === 'data-stream',
  }
  const seat = seatOf(context, services, asked)
  const continued = await placeAfterApprovals(services, {
    ...asked,
    messages: body.messages ?? [body.message],
  })
  if (continued !== undefined) return streamChat(context, services, { ...continued, ...form, seat })
  const submission = await stockSubmission(services, asked)
  const { log } = services.store
  // Before the run begins, or is found to have begun: whoever asks again was not there all the time.
  const { seq: joinedAt } = await log.open(logName(asked))
  const run = await services.runner.submit(submission, seat)
  return streamChat(context, services, { run, seat, after: await runStart(log, run), joinedAt, ...form })
}

/** `experimental_resume()` of AI SDK 4. It takes a response without a body for a failure, so nothing is an empty stream. */
async function resumeAsAiSdk4(context: HttpContext, services: Services): Promise<Response> {
  const chatId = parameter(context, 'chatId')
  if (chatId === undefined) {
    throw new ProblemError(
      400,
      'invalid-id',
      'The request does not say which chat is meant. Send "?chatId=" with its id.',
    )
  }
  const response = await resumeRun(context, services, {
    ownerId: context.get('ownerId'),
    chatId: chatIdFrom(chatId),
  })
  const isNothing = response.status === 204 && streamFormFrom(context).form === 'data-stream'
  return isNothing ? context.body('', 200, dataStreamHeaders) : response
}

async function resumeRun(context: HttpContext, services: Services, chat: ChatKey): Promise<Response> {
  const { store } = services
  const form = streamFormFrom(context)
  const asked = askedPosition(context, form)
  if ((await store.chats.get(chat)) === undefined) {
    // A page may look for an answer before its chat is there. Who had a position must learn that the chat is gone.
    if (asked === undefined) return context.body(null, 204)
    throw chatNotFound(chat.chatId)
  }
  const place = asked === undefined ? await activePlace(services, chat) : await placeAt(services, chat, asked)
  return place === undefined
    ? context.body(null, 204)
    : streamChat(context, services, {
        ...place,
        seat: seatOf(context, services, chat),
        events: asked?.events ?? 0,
        ...form,
      })
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const result = await services.runner.stop(chatFrom(context))
  return context.json({ result }, result === 'not-found' ? 404 : 200)
}
