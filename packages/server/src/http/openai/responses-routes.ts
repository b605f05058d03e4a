import { ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { removeChat } from '../../remove-chat.ts'
import { enabledNames } from '../../runs/asked-agent.ts'
import { readRunSoFar, readWholeRun } from '../../stream/openai/read-run.ts'
import { partsOfResponseId, type ResponseRequest } from '../../stream/openai/response.ts'
import { responseForm } from '../../stream/openai/response-form.ts'
import { ResponseProjection } from '../../stream/openai/response-projection.ts'
import { runPages, runStart } from '../../stream/run-pages.ts'
import { clientToolsIn } from '../client-tools.ts'
import type { HttpContext, Services } from '../context.ts'
import { readMessageBody } from '../requests.ts'
import { seatOf } from '../respond-with-stream.ts'
import type { Route } from '../route.ts'
import { streamRun } from '../stream-run.ts'
import { deleteResponse } from './delete-response.ts'
import { inputItems } from './input-items.ts'
import { withoutReferences } from './item-references.ts'
import { modelNotFound } from './open-ai-problem.ts'
import {
  assertPossible,
  type ResponseBody,
  requestIn,
  responseBody,
  savedRequestOf,
  toolsOf,
} from './response-body.ts'
import { stopWhenLeft } from './stop-when-left.ts'
import { responseChat, responseRun, submitResponse } from './submit-response.ts'
import { giveResults } from './tool-results.ts'

/** The routes for clients of OpenAI's Responses interface. */
export function responsesRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], path: string, handle: Handle): Route => {
    return { method, path, policy: 'owner', handle: context => handle(context, services) }
  }
  return [
    route('POST', '/v1/responses', createResponse),
    route('GET', '/v1/responses/:id', readResponse),
    route('DELETE', '/v1/responses/:id', removeResponse),
    route('GET', '/v1/responses/:id/input_items', listInputItems),
    route('POST', '/v1/responses/:id/cancel', cancelResponse),
  ]
}

type Handle = (context: HttpContext, services: Services) => Promise<Response>

async function createResponse(context: HttpContext, services: Services): Promise<Response> {
  const body = await checkedBody(context, services)
  const { run, after, request, seat } = await runOf(context, services, body)
  attend(context, services, { run, body })
  if (body.stream === true)
    return streamRun(context, services, {
      run,
      seat,
      form: responseForm(run, { request, after }),
      approvals: 'end-for-outputs',
    })
  if (request.background) return respondSoFar(context, services, { run, request, after })
  seat.take()
  return respondWhenAnswered(context, services, { run, request, after })
}

/** Begins a run, or lets the one go on for which the request brings the results of calls. */
async function runOf(context: HttpContext, services: Services, body: ResponseBody) {
  const ownerId = context.get('ownerId')
  const items = typeof body.input === 'string' ? [] : body.input
  const clientTools = clientToolsIn(services, toolsOf(body))
  const request = requestIn(body, clientTools)
  const goingOn = await giveResults(services, ownerId, items)
  if (goingOn !== undefined) {
    const { run } = goingOn
    // The answer goes on with the tools that it has begun with.
    const { tools, toolChoice } = await savedRequest(services, run)
    return { ...goingOn, request: { ...request, tools, toolChoice }, seat: seatOf(context, services, run) }
  }
  const { closed } = context.env
  const input =
    typeof body.input === 'string'
      ? body.input
      : await withoutReferences(services, ownerId, { input: body.input, closed })
  const chat = await responseChat(services, ownerId, body)
  const seat = seatOf(context, services, chat)
  const sender = context.get('sender')
  const asked = { body: { ...body, input }, request, clientTools, chat, sender, seat, closed }
  return { run: await submitResponse(services, asked), after: undefined, request, seat }
}

async function checkedBody(context: HttpContext, services: Services): Promise<ResponseBody> {
  const body = await readMessageBody(context, responseBody)
  const { agents } = services
  if (!agents.has(body.model)) throw modelNotFound(body.model, enabledNames(agents))
  assertPossible(body)
  return body
}

/** Says what happens when the client leaves. In the background the run goes on, otherwise it stops. A chat that must not be stored is removed. */
function attend(
  context: HttpContext,
  services: Services,
  { run, body }: { readonly run: Run; readonly body: ResponseBody },
): void {
  if (body.background !== true) stopWhenLeft(context, services, run)
  if (body.store !== false) return
  const forget = () => {
    forgetChat(services, run).catch(error =>
      services.logger.error({ err: error, chatId: run.chatId }, 'a chat could not be removed'),
    )
  }
  const signal = context.env.closed
  if (signal.aborted) forget()
  else signal.addEventListener('abort', forget, { once: true })
}

/** Removes the chat. If its answer waits for calls of the client, that has to come back first, or the time has to be up. */
async function forgetChat(services: Services, run: Run): Promise<void> {
  const { store, closing } = services
  const isWaiting = (await store.approvals.pending(run.ownerId, run.id)).size > 0
  if (isWaiting) {
    const after = await runStart(store.log, run)
    for await (const _ of runPages(store.log, run, { after, signal: closing, closing }));
  }
  await removeChat(services, run)
}

async function readResponse(context: HttpContext, services: Services): Promise<Response> {
  const shown = await shownResponse(context, services)
  if (context.req.query('stream') !== 'true') return respondSoFar(context, services, shown)
  const { run, request, after } = shown
  const form = responseForm(run, { request, after, startingAfter: startingAfterIn(context) })
  return streamRun(context, services, {
    run,
    seat: seatOf(context, services, run),
    form,
    approvals: 'end-for-outputs',
  })
}

async function cancelResponse(context: HttpContext, services: Services): Promise<Response> {
  const shown = await shownResponse(context, services)
  // Only this run: the chat may be at another one by now.
  await services.runner.stop(shown.run, shown.run.id)
  return respondSoFar(context, services, shown)
}

async function removeResponse(context: HttpContext, services: Services): Promise<Response> {
  const run = await runInPath(context, services)
  await deleteResponse(services, run)
  return context.json({ id: run.id, object: 'response', deleted: true })
}

async function listInputItems(context: HttpContext, services: Services): Promise<Response> {
  const run = await runInPath(context, services)
  return context.json(await inputItems(context, services, run))
}

/** Returns the run of the response that the path of a request names as `:id`. */
function runInPath(context: HttpContext, services: Services): Promise<Run> {
  return responseRun(services, context.get('ownerId'), context.req.param('id') ?? '')
}

interface ShownResponse {
  readonly run: Run
  readonly request: ResponseRequest
  /** Only of a response that goes on with an answer: it begins after this entry. */
  readonly after?: number | undefined
}

/** Returns the response that the path of a request names as `:id`. */
async function shownResponse(context: HttpContext, services: Services): Promise<ShownResponse> {
  const id = context.req.param('id') ?? ''
  const run = await responseRun(services, context.get('ownerId'), id)
  return { run, request: await savedRequest(services, run), after: partsOfResponseId(id).after }
}

async function savedRequest({ store }: Services, run: Run): Promise<ResponseRequest> {
  return savedRequestOf(await store.messages.find(run, run.userMessageId))
}

async function respondSoFar(
  context: HttpContext,
  { store }: Services,
  { run, ...shown }: ShownResponse,
): Promise<Response> {
  const projection = new ResponseProjection(run, shown)
  return context.json((await readRunSoFar(store.log, run, projection)).response)
}

async function respondWhenAnswered(
  context: HttpContext,
  { store, closing }: Services,
  { run, ...shown }: ShownResponse,
): Promise<Response> {
  const signal = context.env.closed
  const projection = new ResponseProjection(run, shown)
  try {
    await readWholeRun(store.log, run, { projection, signal, closing })
    return context.json(projection.response)
  } catch (error) {
    if (!signal.aborted && !closing.aborted) throw error
    throw new ProblemError(503, 'shutting-down', 'The server is shutting down. Ask again in a moment.')
  }
}

/** Reads `?starting_after=`. Throws a 400 problem when it is not a sequence number. */
function startingAfterIn(context: HttpContext): number | undefined {
  const given = context.req.query('starting_after')
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new ProblemError(
    400,
    'invalid_starting_after',
    '"starting_after" is the sequence_number of the last event that you have seen: 0, 1, 2 and so on.',
  )
}
