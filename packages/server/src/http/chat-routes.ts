import { logName } from '@throughline/log/log-store'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import { formatPosition, parsePosition } from '@throughline/protocol/position'
import { ProblemError } from '@throughline/protocol/problem'
import type { z } from 'zod'
import type { Submission } from '../runs/claim-run.ts'
import { isRunEnd } from '../stream/encode.ts'
import { parseInlineId } from '../stream/inline-form.ts'
import { runStart } from '../stream/run-pages.ts'
import type { HttpContext, Services } from './context.ts'
import { chatNotFound } from './problems.ts'
import { chatBody, chatIdFrom, readBody } from './requests.ts'
import type { Route } from './route.ts'
import { type PlaceInRun, streamRun } from './stream-run.ts'
import { anotherAnswerFrom, editFrom, shownAgainFrom, submissionFrom } from './submission.ts'
import { askedPosition, wireFormFrom } from './wire-form.ts'

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
  const form = wireFormFrom(context)
  const body = await readBody(context, chatBody)
  const chatId = chatIdFrom(body.id)
  const asked = {
    ...body,
    ownerId: context.get('ownerId'),
    chatId,
    message: body.messages.findLast(isUserMessage),
  }
  const run = await services.runner.submit(await stockSubmission(services, asked))
  return streamRun(context, services, { run, after: await runStart(services.store.log, run), form })
}

type StockRequest = z.infer<typeof chatBody> & {
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
  if ((await store.chats.get(ownerId, chatId)) === undefined) throw chatNotFound(chatId)
  const asked = askedPosition(context, form)
  const { position, frames } =
    form === 'inline' && asked !== undefined ? parseInlineId(asked) : { position: asked, frames: 0 }
  const from =
    position === undefined
      ? await activeRun(services, { ownerId, chatId })
      : await runAt(services, { ownerId, chatId, asked: position })
  return from === undefined
    ? context.body(null, 204)
    : streamRun(context, services, { ...from, frames, form })
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const chatId = chatIdFrom(context.req.param('id'))
  const result = await services.runner.stop(context.get('ownerId'), chatId)
  return context.json({ result }, result === 'not-found' ? 404 : 200)
}

async function activeRun(
  services: Services,
  chat: { ownerId: OwnerId; chatId: ChatId },
): Promise<PlaceInRun | undefined> {
  const run = await services.store.runs.active(chat.ownerId, chat.chatId)
  return run === undefined ? undefined : { run, after: await runStart(services.store.log, run) }
}

/** The run that a position belongs to; `undefined` when it is not kept. */
async function runAt(
  { store }: Services,
  { ownerId, chatId, asked }: { ownerId: OwnerId; chatId: ChatId; asked: string },
): Promise<PlaceInRun | undefined> {
  const after = parsePosition(asked)
  const name = logName(ownerId, chatId)
  const head = await store.log.open(name)
  if (after === undefined || after.epoch !== head.epoch || after.seq < 1 || after.seq > head.seq) {
    throw new ProblemError(
      410,
      'position-unknown',
      `Chat ${chatId} has no position ${JSON.stringify(asked.slice(0, 100))}. Load its messages, then follow from the position they come with.`,
      { position: formatPosition(head) },
    )
  }
  const [entry] = await store.log.read(name, { epoch: after.epoch, seq: after.seq - 1 }, 1)
  const run = entry === undefined ? undefined : await store.runs.get(ownerId, entry.runId)
  if (entry === undefined || run === undefined) return undefined
  return { run, after, isAtEnd: isRunEnd(entry, run) }
}

function isUserMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'role' in value && value.role === 'user'
}
