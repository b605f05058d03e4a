import { type ChatId, createId, isChatId, ProblemError } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { enabledNames } from '../../runs/asked-agent.ts'
import type { Seat } from '../../runs/chat-viewers.ts'
import { completionForm } from '../../stream/openai/completion-form.ts'
import { CompletionProjection } from '../../stream/openai/completion-projection.ts'
import { readWholeRun } from '../../stream/openai/read-run.ts'
import { clientToolsIn } from '../client-tools.ts'
import type { HttpContext, Services } from '../context.ts'
import { chatIdFrom, readMessageBody } from '../requests.ts'
import { seatOf } from '../respond-with-stream.ts'
import type { Route } from '../route.ts'
import { streamRun } from '../stream-run.ts'
import { assertSupported, type CompletionBody, completionBody, toolsIn } from './completion-body.ts'
import { conversationIn } from './conversation.ts'
import { modelNotFound, openAiErrorResponse } from './open-ai-problem.ts'
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
  const { run, after, seat } = await runOf(context, services, body)
  stopWhenLeft(context, services, run)
  const headers = { 'x-chat-id': run.chatId }
  if (body.stream !== true) {
    seat.take()
    return respondWhenAnswered(context, services, { run, after })
  }
  const form = completionForm(run, { includeUsage: body.stream_options?.include_usage === true, after })
  return streamRun(context, services, { run, seat, form, approvals: 'end-for-outputs', headers })
}

interface AskedRun {
  readonly run: Run
  /** Only of a run that goes on: the client has everything up to this entry. */
  readonly after?: number | undefined
}

/** Begins a run, or lets the one go on for which the request brings the results of calls. */
async function runOf(
  context: HttpContext,
  services: Services,
  body: CompletionBody,
): Promise<AskedRun & { readonly seat: Seat }> {
  const ownerId = context.get('ownerId')
  const goingOn = await giveResults(services, ownerId, body.messages)
  if (goingOn !== undefined) return { ...goingOn, seat: seatOf(context, services, goingOn.run) }
  const asked = {
    ownerId,
    sender: context.get('sender'),
    chatId: chatOf(body),
    agent: body.model,
    closed: context.env.closed,
    clientTools: clientToolsIn(services, toolsIn(body)),
    conversation: conversationIn(body.messages),
  }
  const seat = seatOf(context, services, asked)
  return { run: await submitConversation(services, asked, seat), seat }
}

/** Returns the chat that the client names. A client that names none begins a new chat with each request. */
function chatOf({ metadata }: CompletionBody): ChatId {
  const named = metadata?.chat_id
  return named === undefined ? createId(isChatId, 'chat') : chatIdFrom(named)
}

async function respondWhenAnswered(
  context: HttpContext,
  services: Services,
  { run, after }: AskedRun,
): Promise<Response> {
  const { store, closing } = services
  const signal = context.env.closed
  const projection = new CompletionProjection(run, { includeUsage: true, after })
  try {
    const completion = (await readWholeRun(store.log, run, { projection, signal, closing })).completion()
    const headers = { 'x-chat-id': run.chatId }
    // Without this header the client would ask again, and the agent would act a second time.
    if ('error' in completion)
      return openAiErrorResponse(500, completion, { ...headers, 'x-should-retry': 'false' })
    return context.json(completion, 200, headers)
  } catch (error) {
    if (!signal.aborted && !closing.aborted) throw error
    throw new ProblemError(503, 'shutting-down', 'The server is shutting down. Ask again in a moment.')
  }
}
