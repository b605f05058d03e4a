import { randomUUID } from 'node:crypto'
import { LogError } from '@throughline/log'
import { ProblemError } from '@throughline/protocol'
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { agUiRoutes } from './ag-ui/ag-ui-routes.ts'
import { withoutBase } from './base-path.ts'
import { bodiesOfPeople, bodiesOfStrangers } from './body-budget.ts'
import { dataHeaders } from './browser-policies.ts'
import { chatRoutes } from './chat/chat-routes.ts'
import { approvalsRoutes } from './chats/approvals-routes.ts'
import { changesRoutes } from './chats/changes-routes.ts'
import { channelsRoutes } from './chats/channels-routes.ts'
import { chatsRoutes } from './chats/chats-routes.ts'
import { filesRoutes } from './chats/files-routes.ts'
import { outputsRoutes } from './chats/outputs-routes.ts'
import { queueRoutes } from './chats/queue-routes.ts'
import { connectionsRoutes } from './connections/connections-routes.ts'
import type { HttpContext, HttpEnv, Services } from './context.ts'
import { corsHeaders, isPreflight, preflightResponse } from './cors.ts'
import { agentsRoutes } from './definitions/agents-routes.ts'
import { definitionsRoutes } from './definitions/definitions-routes.ts'
import { queryRoutes } from './events/query-routes.ts'
import { sessionsRoutes } from './events/sessions-routes.ts'
import { assertAllowed, type GuardOptions } from './guard.ts'
import { completionsRoutes } from './openai/completions-routes.ts'
import { modelsRoutes } from './openai/models-routes.ts'
import { errorResponse } from './openai/open-ai-problem.ts'
import { responsesRoutes } from './openai/responses-routes.ts'
import type { RequestSource } from './origin.ts'
import { problemFrom } from './problem-from.ts'
import type { Route } from './route.ts'
import { shareRoutes } from './share/share-routes.ts'
import { sharedRoutes } from './share/shared-routes.ts'
import { withoutShareKey } from './share/without-share-key.ts'
import { SignIn } from './sign-in.ts'
import { statusRoutes } from './status/status-routes.ts'
import { usageRoutes } from './status/usage-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { Tickets } from './tickets.ts'
import { ticketsRoutes } from './tickets-routes.ts'
import { unknownPath } from './unknown-path.ts'

/** Makes the HTTP app: the guards, then the routes, and a problem response for every error. */
export function createApp(services: Services, guard: GuardOptions, pages: readonly Route[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({
    getPath: (request, options) => withoutBase(options?.env?.basePath ?? '', getPath(request)),
  })
  const tickets = new Tickets({ now: services.now, ticketMs: guard.ticketMs, key: guard.ticketKey })
  const { logger, now } = services
  const signIn = new SignIn({ ...guard, tickets, logger, now })
  const [ofPeople, ofStrangers] = [bodiesOfPeople(), bodiesOfStrangers()]
  const api = [...routesOf(services), ...ticketsRoutes(tickets)]
  const routes = [...api, ...pages]
  const methods = routes.map(({ method }) => method)

  app.use(async (context, next) => {
    const startedAt = performance.now()
    context.set('requestId', randomUUID())
    context.set('corsHeaders', corsHeaders(sourceOf(context), guard.origins ?? []))
    await next()
    // This comes after the handler, because a problem is a new response.
    addHeaders(context)
    const { method, path } = loggedRequest(context)
    const ms = Math.round(performance.now() - startedAt)
    services.logger.debug(
      { requestId: context.get('requestId'), method, path, status: context.res.status, ms },
      'request',
    )
  })
  app.use(async (context, next) => {
    const source = sourceOf(context)
    assertAllowed(source, guard)
    return isPreflight(source) ? preflightResponse(source, methods) : next()
  })

  for (const route of routes) {
    app.on(route.method, route.path, async context => {
      if (route.policy === 'owner') {
        // A cache that several people share must not give one of them the response for another. A cookie does not
        // tell it so, as the header `authorization` would.
        context.header('cache-control', 'private, no-cache')
        const { ownerId, sender } = await signIn.identify(context, route)
        context.set('ownerId', ownerId)
        context.set('sender', sender)
      }
      if (route.method !== 'GET' && route.savesNothing !== true) await services.storeWatch.assertKept()
      using held = (route.policy === 'owner' ? ofPeople : ofStrangers).hold()
      context.set('held', held)
      return await route.handle(context)
    })
  }
  app.notFound(unknownPath({ api, pages }))
  app.onError((error, context) => errorResponse(context.req.path, reportedProblem(error, context, services)))
  return app
}

function routesOf(services: Services): readonly Route[] {
  return [
    ...chatRoutes(services),
    ...chatsRoutes(services),
    ...changesRoutes(services),
    ...queueRoutes(services),
    ...agentsRoutes(services),
    ...approvalsRoutes(services),
    ...outputsRoutes(services),
    ...definitionsRoutes(services),
    ...connectionsRoutes(services),
    ...filesRoutes(services),
    ...shareRoutes(services),
    ...sharedRoutes(services),
    ...channelsRoutes(services),
    ...queryRoutes(services),
    ...sessionsRoutes(services),
    ...agUiRoutes(services),
    ...modelsRoutes(services),
    ...completionsRoutes(services),
    ...responsesRoutes(services),
    ...statusRoutes(services),
    ...usageRoutes(services),
    ...systemRoutes(services),
  ]
}

function sourceOf({ req }: HttpContext): RequestSource {
  return { method: req.method, header: name => req.header(name) }
}

/** Adds the headers that every response has. A stream may have sent its headers already, see `respondWithStream`. */
function addHeaders(context: HttpContext): void {
  context.header('x-request-id', context.get('requestId'))
  for (const [name, value] of Object.entries({ ...dataHeaders, ...context.get('corsHeaders') })) {
    // A stream has them already. Pages and files have policies of their own. The response to a preflight varies by
    // more than the origin.
    if (!context.res.headers.has(name)) context.header(name, value)
  }
}

/** The problem of a client that wants entries which were trimmed. */
function trimmed(): ProblemError {
  return new ProblemError(
    410,
    'position-unknown',
    'These entries of the log are no longer kept. Load the messages of the chat.',
  )
}

// The request id in the response leads to the error in the server's log.
function reportedProblem(error: unknown, context: HttpContext, { logger }: Services): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof LogError && error.code === 'unknown-position') return trimmed()
  const requestId = context.get('requestId')
  // The work for a request ends with it. Nobody reads this response.
  if (context.env.closed.aborted && isAbort(error)) return problemFrom(error, requestId)
  const { method, path } = loggedRequest(context)
  logger.error({ err: error, requestId, method, path }, 'request failed')
  return problemFrom(error, requestId)
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function loggedRequest({ req }: HttpContext) {
  return { method: req.method, path: withoutShareKey(req.path) }
}
