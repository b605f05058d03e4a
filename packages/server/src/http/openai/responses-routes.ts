import { ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { removeChat } from '../../chats/remove-chat.ts'
import { readRunSoFar, readWholeRun } from '../../stream/openai/read-run.ts'
import { partsOfResponseId, type ResponseRequest } from '../../stream/openai/response.ts'
import { lateResponse, ResponseProjection, responseForm } from '../../stream/openai/response-projection.ts'
import { runPages, runStart } from '../../stream/run-pages.ts'
import { enabledNames } from '../../who/asked-agent.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { readMessageBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type JsonResponse, jsonWhenReady } from '../respond/json-when-ready.ts'
import { presenceOf } from '../respond/respond-with-stream.ts'
import { type RunToStream, streamRun } from '../respond/stream-run.ts'
import { streamWhenBegun } from '../respond/stream-when-begun.ts'
import { clientToolsIn } from '../submit/client-tools.ts'
import { withoutReferences } from './conversation.ts'
import { deleteResponse, inputItemsPage } from './input-items.ts'
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
import { responseChat, responseRun, submitResponse } from './submit-conversation.ts'
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
  const asked = await runOf(context, services, body)
  const { after, request, presence } = asked
  const run = asked.run.then(begun => {
    attend(context, services, { run: begun, body })
    return begun
  })
  if (body.stream === true) {
    const show = (begun: Run): RunToStream => {
      const form = responseForm(begun, { request, after })
      return { run: begun, presence, form, approvals: 'end-for-outputs' }
    }
    return streamWhenBegun(context, services, { run, show, ...lateResponse })
  }
  const ready = run.then(async (begun): Promise<JsonResponse> => {
    const shown = { run: begun, request, after }
    if (request.background) return { body: await responseSoFar(services, shown) }
    presence.take()
    return { body: await wholeResponse(context, services, shown) }
  })
  return jsonWhenReady(context, services, { ready })
}

/** Begins a run, or lets the one go on for which the request brings the results of calls. It may have to wait for its chat. */
async function runOf(context: HttpContext, services: Services, body: ResponseBody) {
  const ownerId = context.get('ownerId')
  const items = typeof body.input === 'string' ? [] : body.input
  const clientTools = clientToolsIn(services, toolsOf(body))
  const request = requestIn(body, clientTools)
  const goingOn = await giveResults(services, ownerId, items)
  if (goingOn !== undefined) {
    const { run, after } = goingOn
    // The answer goes on with the tools that it has begun with.
    const { tools, toolChoice } = await savedRequest(services, run)
    const presence = presenceOf(context, services, run)
    return { run: Promise.resolve(run), after, request: { ...request, tools, toolChoice }, presence }
  }
  const { closed } = context.env
  const input =
    typeof body.input === 'string'
      ? body.input
      : await withoutReferences(services, ownerId, { input: body.input, closed })
  const chat = await responseChat(services, ownerId, body)
  const presence = presenceOf(context, services, chat)
  const sender = context.get('sender')
  const asked = { body: { ...body, input }, request, clientTools, chat, sender, presence, closed }
  return { run: submitResponse(services, asked), after: undefined, request, presence }
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
  const { store, over: closing } = services
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
    presence: presenceOf(context, services, run),
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
  return context.json(await inputItemsPage(context, services, run))
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
  services: Services,
  shown: ShownResponse,
): Promise<Response> {
  return context.json(await responseSoFar(services, shown))
}

async function responseSoFar({ store }: Services, { run, ...shown }: ShownResponse) {
  const projection = new ResponseProjection(run, shown)
  return (await readRunSoFar(store.log, run, projection)).response
}

async function wholeResponse(
  context: HttpContext,
  { store, over: closing }: Services,
  { run, ...shown }: ShownResponse,
) {
  const signal = context.env.closed
  const projection = new ResponseProjection(run, shown)
  try {
    await readWholeRun(store.log, run, { projection, signal, closing })
    return projection.response
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
