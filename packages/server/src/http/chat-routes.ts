import { logName } from '@throughline/log/log-store'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import { formatPosition, type Position, parsePosition } from '@throughline/protocol/position'
import { ProblemError } from '@throughline/protocol/problem'
import type { Run } from '@throughline/store/runs'
import { isRunEnd } from '../stream/encode.ts'
import { viewEnd, viewRun } from '../stream/views.ts'
import type { HttpContext, Services } from './context.ts'
import { chatNotFound } from './problems.ts'
import { chatBody, chatIdFrom, readBody } from './requests.ts'
import { chunkStreamHeaders, respondWithStream } from './respond-with-stream.ts'
import type { Route } from './route.ts'
import { submissionFrom } from './submission.ts'

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
  const body = await readBody(context, chatBody)
  if (body.trigger === 'regenerate-message') {
    throw new ProblemError(
      400,
      'unsupported-trigger',
      'Answers cannot be made anew here. Send a new user message.',
    )
  }
  const chatId = chatIdFrom(body.id)
  const message = body.messages.findLast(isUserMessage)
  const run = await services.runner.submit(
    submissionFrom(services, { ...body, ownerId: context.get('ownerId'), chatId, message }),
  )
  return streamRun(context, services, { run, after: await startOf(services, run) })
}

async function resumeRun(context: HttpContext, services: Services): Promise<Response> {
  const { store } = services
  const ownerId = context.get('ownerId')
  const chatId = chatIdFrom(context.req.param('id'))
  if ((await store.chats.get(ownerId, chatId)) === undefined) throw chatNotFound(chatId)
  const asked = context.req.header('last-event-id') ?? context.req.query('after')
  const from =
    asked === undefined
      ? await activeRun(services, { ownerId, chatId })
      : await runAt(services, { ownerId, chatId, asked })
  return from === undefined ? context.body(null, 204) : streamRun(context, services, from)
}

async function stopRun(context: HttpContext, services: Services): Promise<Response> {
  const chatId = chatIdFrom(context.req.param('id'))
  const result = await services.runner.stop(context.get('ownerId'), chatId)
  return context.json({ result }, result === 'not-found' ? 404 : 200)
}

interface PlaceInRun {
  readonly run: Run
  readonly after: Position
  /** The position is that of the run's last chunk. */
  readonly isAtEnd?: boolean
}

function streamRun(context: HttpContext, services: Services, place: PlaceInRun): Response {
  const { run, after, isAtEnd = false } = place
  return respondWithStream(context, services, {
    view: signal => (isAtEnd ? viewEnd() : viewRun(services.store.log, run, { after, signal })),
    headers: chunkStreamHeaders,
  })
}

async function activeRun(
  services: Services,
  chat: { ownerId: OwnerId; chatId: ChatId },
): Promise<PlaceInRun | undefined> {
  const run = await services.store.runs.active(chat.ownerId, chat.chatId)
  return run === undefined ? undefined : { run, after: await startOf(services, run) }
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

async function startOf({ store }: Services, run: Run): Promise<Position> {
  const { epoch } = await store.log.open(logName(run.ownerId, run.chatId))
  return { epoch, seq: run.afterSeq }
}

function isUserMessage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'role' in value && value.role === 'user'
}
