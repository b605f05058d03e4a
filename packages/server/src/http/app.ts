import { randomUUID } from 'node:crypto'
import { LogError } from '@throughline/log'
import { ProblemError } from '@throughline/protocol'
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { agUiRoutes } from './ag-ui/ag-ui-routes.ts'
import { chatRoutes } from './chat/chat-routes.ts'
import { changesRoutes } from './chats/changes-routes.ts'
import { channelsRoutes } from './chats/channels-routes.ts'
import { chatsRoutes } from './chats/chats-routes.ts'
import { filesRoutes } from './chats/files-routes.ts'
import { queueRoutes } from './chats/queue-routes.ts'
import { waitsRoutes } from './chats/waits-routes.ts'
import { connectionsRoutes } from './connections/connections-routes.ts'
import { agentsRoutes } from './definitions/agents-routes.ts'
import { definitionsRoutes } from './definitions/definitions-routes.ts'
import { queryRoutes } from './events/query-routes.ts'
import { sessionsRoutes } from './events/sessions-routes.ts'
import { withoutBase } from './guards/base-path.ts'
import {
  assertAllowed,
  corsHeaders,
  type GuardOptions,
  isPreflight,
  preflightResponse,
  type RequestSource,
} from './guards/guard.ts'
import { completionsRoutes, modelsRoutes } from './openai/completions-routes.ts'
import { responsesRoutes } from './openai/responses-routes.ts'
import { bodiesOfPeople, bodiesOfStrangers } from './request/body-budget.ts'
import { dataHeaders } from './request/browser-policies.ts'
import type { HttpContext, HttpEnv, Services } from './request/context.ts'
import { routeNotFound } from './request/problems.ts'
import type { Route } from './request/route.ts'
import { errorResponse } from './respond/error-response.ts'
import { problemFrom } from './respond/problem-from.ts'
import { respondInTime } from './respond/respond-in-time.ts'
import { withoutShareKey } from './share/share-problems.ts'
import { sharedRoutes, shareRoutes } from './share/share-routes.ts'
import { RequestSignIn } from './sign-in/sign-in.ts'
import { Tickets, ticketsRoutes } from './sign-in/tickets.ts'
import { statusRoutes, usageRoutes } from './status/status-routes.ts'

/** Makes the HTTP app: the guards, then the routes, and a problem response for every error. */
export function createApp(services: Services, guard: GuardOptions, pages: readonly Route[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>({
    getPath: (request, options) => withoutBase(options?.env?.basePath ?? '', getPath(request)),
  })
  const tickets = new Tickets({ now: services.now, ticketMs: guard.ticketMs, key: guard.ticketKey })
  const { logger, now } = services
  const signIn = new RequestSignIn({ ...guard, tickets, logger, now })
  const [ofPeople, ofStrangers] = [bodiesOfPeople(), bodiesOfStrangers()]
  const api = [...routesOf(services), ...ticketsRoutes(tickets)]
  const routes = [...api, ...pages]
  const methods = routes.map(({ method }) => method)

  app.use(async (context, next) => {
    const startedAt = performance.now()
    context.set('requestId', randomUUID())
    context.set('begunAt', startedAt)
    context.set('corsHeaders', corsHeaders(sourceOf(context), guard.origins ?? []))
    await respondInTime(context, services, next)
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
    ...waitsRoutes(services),
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

/**
 * The routes for supervisors and load balancers. They are asked often, so neither of them reads a row: the store
 * remembers its health for a second.
 */
function systemRoutes({ readiness, storeWatch }: Services): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/health',
      policy: 'public',
      handle: async context => {
        await storeWatch.assertWell()
        return context.json({ status: 'ok' })
      },
    },
    {
      method: 'GET',
      path: '/ready',
      policy: 'public',
      handle: async context => {
        readiness.assertReady()
        await storeWatch.assertWell()
        return context.json({ status: 'ready' })
      },
    },
  ]
}

/** The routes of the server: those for programs, and those of the page. */
interface KnownRoutes {
  readonly api: readonly Route[]
  readonly pages: readonly Route[]
}

/**
 * Returns a handler for paths without a route. A browser that goes to such an address gets the page, with the status
 * 404: the page says in the person's language that there is nothing. Everybody else gets a problem. So does a browser
 * below `/api` and the other roots of the API, where only programs look for something.
 */
function unknownPath({ api, pages }: KnownRoutes): (context: HttpContext) => Promise<Response> {
  const index = pages.find(({ path }) => path === '/')
  const apiRoots = new Set(api.map(({ path }) => rootOf(path)))
  return async context => {
    const { method, path } = context.req
    if (index === undefined || apiRoots.has(rootOf(path)) || !wantsPage(context))
      return errorResponse(path, routeNotFound(method, path))
    const { body, headers } = await index.handle(context)
    return new Response(body, { status: 404, headers })
  }
}

function wantsPage({ req }: HttpContext): boolean {
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  return isRead && (req.header('accept') ?? '').includes('text/html')
}

/** Returns the first segment of a path. */
function rootOf(path: string): string {
  return path.split('/')[1] ?? ''
}
