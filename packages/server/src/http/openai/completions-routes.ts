import { type ChatId, createId, isChatId, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Presence } from '../../stream/chat-viewers.ts'
import {
  CompletionProjection,
  completionForm,
  lateCompletion,
} from '../../stream/openai/completion-projection.ts'
import { readWholeRun } from '../../stream/openai/read-run.ts'
import { enabledNames } from '../../who/asked-agent.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { chatIdFrom, readMessageBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { type JsonResponse, jsonWhenReady } from '../respond/json-when-ready.ts'
import { presenceOf } from '../respond/respond-with-stream.ts'
import type { RunToStream } from '../respond/stream-run.ts'
import { streamWhenBegun } from '../respond/stream-when-begun.ts'
import { clientToolsIn } from '../submit/client-tools.ts'
import { assertSupported, type CompletionBody, completionBody, toolsIn } from './completion-body.ts'
import { conversationIn } from './conversation.ts'
import { modelNotFound } from './open-ai-problem.ts'
import { stopWhenLeft } from './stop-when-left.ts'
import { submitConversation } from './submit-conversation.ts'
import { giveResults } from './tool-results.ts'

/** The route for clients of OpenAI's chat completions. */
export function completionsRoutes(services: Services): readonly Route[] {
  const handle = (context: HttpContext) => complete(context, services)
  return [{ method: 'POST', path: '/v1/chat/completions', policy: 'owner', handle }]
}

async function complete(context: HttpContext, services: Services): Promise<Response> {
  const body = await readMessageBody(context, completionBody)
  const { agents } = services
  if (!agents.has(body.model)) throw modelNotFound(body.model, enabledNames(agents))
  assertSupported(body)
  const asked = await runOf(context, services, body)
  const { run, after, presence, chatId } = asked
  const attended = run.then(begun => {
    stopWhenLeft(context, services, begun)
    return begun
  })
  if (body.stream !== true)
    return jsonWhenReady(context, services, {
      ready: answered(context, services, { ...asked, run: attended }),
    })
  const includeUsage = body.stream_options?.include_usage === true
  const headers = { 'x-chat-id': chatId }
  const show = (begun: Run): RunToStream => {
    const form = completionForm(begun, { includeUsage, after })
    return { run: begun, presence, form, approvals: 'end-for-outputs', headers }
  }
  return streamWhenBegun(context, services, { run: attended, show, ...lateCompletion(headers) })
}

interface AskedRun {
  /** It may have to wait for its chat. */
  readonly run: Promise<Run>
  readonly chatId: ChatId
  readonly presence: Presence
  /** Only of a run that goes on: the client has everything up to this entry. */
  readonly after?: number | undefined
}

/** Begins a run, or lets the one go on for which the request brings the results of calls. */
async function runOf(context: HttpContext, services: Services, body: CompletionBody): Promise<AskedRun> {
  const ownerId = context.get('ownerId')
  const goingOn = await giveResults(services, ownerId, body.messages)
  if (goingOn !== undefined) {
    const { run, after } = goingOn
    return {
      run: Promise.resolve(run),
      chatId: run.chatId,
      after,
      presence: presenceOf(context, services, run),
    }
  }
  const asked = {
    ownerId,
    sender: context.get('sender'),
    chatId: chatOf(body),
    agent: body.model,
    closed: context.env.closed,
    clientTools: clientToolsIn(services, toolsIn(body)),
    conversation: conversationIn(body.messages),
  }
  const presence = presenceOf(context, services, asked)
  return { run: submitConversation(services, asked, presence), chatId: asked.chatId, presence }
}

/** Returns the chat that the client names. A client that names none begins a new chat with each request. */
function chatOf({ metadata }: CompletionBody): ChatId {
  const named = metadata?.chat_id
  return named === undefined ? createId(isChatId, 'chat') : chatIdFrom(named)
}

async function answered(
  context: HttpContext,
  services: Services,
  { run: begun, after, presence }: AskedRun,
): Promise<JsonResponse> {
  const { store, over: closing } = services
  const signal = context.env.closed
  const run = await begun
  presence.take()
  const projection = new CompletionProjection(run, { includeUsage: true, after })
  try {
    const completion = (await readWholeRun(store.log, run, { projection, signal, closing })).completion()
    const headers = { 'x-chat-id': run.chatId }
    // Without this header the client would ask again, and the agent would act a second time.
    if ('error' in completion) {
      const refused = { ...headers, 'cache-control': 'no-store', 'x-should-retry': 'false' }
      return { body: completion, status: 500, headers: refused }
    }
    return { body: completion, headers }
  } catch (error) {
    if (!signal.aborted && !closing.aborted) throw error
    throw new ProblemError(503, 'shutting-down', 'The server is shutting down. Ask again in a moment.')
  }
}

/** The routes that list the agents, as models. */
export function modelsRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'GET', path, policy: 'owner', handle }
  }
  return [
    route('/v1/models', context => listModels(context, services)),
    route('/v1/models/:id', context => readModel(context, services)),
  ]
}

function listModels(context: HttpContext, { agents }: Services): Response {
  return context.json({ object: 'list', data: enabledNames(agents).map(describeModel) })
}

function readModel(context: HttpContext, { agents }: Services): Response {
  const id = (context.req.param('id') ?? '').normalize('NFC')
  const names = enabledNames(agents)
  if (!names.includes(id)) throw modelNotFound(id, names)
  return context.json(describeModel(id))
}

// An agent has no date, and clients need a number.
function describeModel(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'throughline' }
}
