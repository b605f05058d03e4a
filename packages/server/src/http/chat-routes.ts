import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { z } from 'zod'
import type { OnBusy } from '../runs/busy-move.ts'
import type { Submission } from '../runs/claim-run.ts'
import { runStart } from '../stream/run-pages.ts'
import { placeAfterApprovals } from './answered-approvals.ts'
import type { HttpContext, Services } from './context.ts'
import { activePlace, placeAt } from './place-in-run.ts'
import { chatNotFound } from './problems.ts'
import { chatBody, chatIdFrom, readBody } from './requests.ts'
import { seatOf } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { streamRun } from './stream-run.ts'
import { anotherAnswerFrom, editFrom, shownAgainFrom, submissionFrom } from './submission.ts'
import { approvalFormFrom, askedPosition, wireFormFrom } from './wire-form.ts'

/** The routes that stock AI SDK clients use. */
export function chatRoutes(services: Services): readonly Route[] {
  const postChat = (context: HttpContext) => answerWithRun(context, services)
  return [
    { method: 'POST', path: '/api/chat', policy: 'owner', handle: postChat },
    { method: 'POST', path: '/api/v1/console/playground/agent/stream', policy: 'owner', handle: postChat },
    {
      method: 'GET',
      path: '/api/chat/:id/stream',
      policy: 'owner',
      handle: context => resumeRun(context, services),
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
  const form = { form: wireFormFrom(context), approvals: approvalFormFrom(context) }
  const body = await readBody(context, chatBody)
  const chatId = chatIdFrom(body.id)
  const asked: StockRequest = {
    ...body,
    ownerId: context.get('ownerId'),
    chatId,
    onBusy: body.onBusy ?? 'interrupt-unviewed',
    message: body.messages.findLast(isUserMessage),
  }
  const continued = await placeAfterApprovals(services, asked)
  if (continued !== undefined) {
    return streamRun(context, services, { ...continued, ...form, seat: seatOf(context, services, asked) })
  }
  const submission = await stockSubmission(services, asked)
  const seat = seatOf(context, services, submission)
  const run = await services.runner.submit(submission, seat)
  return streamRun(context, services, { run, seat, after: await runStart(services.store.log, run), ...form })
}

type StockRequest = Omit<z.infer<typeof chatBody>, 'onBusy'> & {
  readonly onBusy: OnBusy
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly message: unknown
}

/** What a stock client means: `regenerate()`, `sendMessage` with a `messageId`, which changes a message, or a new message. */
function stockSubmission(services: Services, asked: StockRequest): Submission | Promise<Submission> {
  const { trigger, messageId, message } = asked
  if (trigger === 'regenerate-message' && message !== undefined) return shownAgainFrom(services, asked)
  if (trigger === 'regenerate-message')
    return anotherAnswerFrom(services, { ...asked, messageId: messageId ?? '' })
  return messageId === undefined
    ? submissionFrom(services, asked)
    : editFrom(services, { ...asked, messageId })
}

async function resumeRun(context: HttpContext, services: Services): Promise<Response> {
  const { store } = services
  const ownerId = context.get('ownerId')
  const chatId = chatIdFrom(context.req.param('id'))
  const form = wireFormFrom(context)
  const approvals = approvalFormFrom(context)
  const asked = askedPosition(context, form)
  if ((await store.chats.get(ownerId, chatId)) === undefined) {
    // A page may look for an answer before its chat is there. Who had a position must learn that the chat is gone.
    if (asked === undefined) return context.body(null, 204)
    throw chatNotFound(chatId)
  }
  const place =
    asked === undefined
      ? await activePlace(services, { ownerId, chatId })
      : await placeAt(services, { ownerId, chatId }, asked)
  return place === undefined
    ? context.body(null, 204)
    : streamRun(context, services, {
        ...place,
        seat: seatOf(context, services, { ownerId, chatId }),
        frames: asked?.frames ?? 0,
        form,
        approvals,
      })
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const chatId = chatIdFrom(context.req.param('id'))
  const result = await services.runner.stop(context.get('ownerId'), chatId)
  return context.json({ result }, result === 'not-found' ? 404 : 200)
}

function isUserMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'role' in value && value.role === 'user'
}
