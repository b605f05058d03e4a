import { McpSignInFailed, type PersonalLinks } from '@throughline/agents/internal'
import { ProblemError } from '@throughline/protocol'
import type { ConnectionBody, ConnectionsBody, SignInAddress } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { HttpContext, Services } from '../request/context.ts'
import { readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'

type Handle = (context: HttpContext, server: PersonalLinks) => Promise<Response>

/** The routes with which a person connects themselves to MCP servers that ask people to sign in. */
export function connectionsRoutes({ system, logger }: Services): readonly Route[] {
  const { connections } = system
  const route = (method: Route['method'], path: string, handle: Handle): Route => ({
    method,
    path: `/api/connections/:name${path}`,
    policy: 'owner',
    async handle(context) {
      const name = context.req.param('name') ?? ''
      const server = connections.get(name)
      if (server === undefined) throw connectionNotFound(name)
      try {
        return await handle(context, server)
      } catch (error) {
        if (!(error instanceof McpSignInFailed)) throw error
        // The cause may name addresses. People read the sentence.
        if (error.cause !== undefined) logger.warn({ err: error.cause, server: name }, error.message)
        throw new ProblemError(error.why === 'cannot-begin' ? 502 : 409, 'sign-in-failed', error.message, {
          why: error.why,
        })
      }
    },
  })
  return [
    {
      method: 'GET',
      path: '/api/connections',
      policy: 'owner',
      async handle(context) {
        const ownerId = context.get('ownerId')
        const listed = [...connections].map(async ([name, server]): Promise<ConnectionBody> => {
          return { name, status: await server.status(ownerId) }
        })
        const body: ConnectionsBody = { connections: await Promise.all(listed) }
        return context.json(body)
      },
    },
    route('POST', '/sign-in', begin),
    route('POST', '/finish', finish),
    route('DELETE', '', async (context, server) => {
      await server.signOut(context.get('ownerId'))
      return context.body(null, 204)
    }),
  ]
}

/** The body of `POST /api/connections/:name/sign-in`: the address of a page to which the person comes back. */
const signInBody = z.object({ redirectUrl: z.url({ protocol: /^https?$/ }).max(2_000) })

async function begin(context: HttpContext, server: PersonalLinks): Promise<Response> {
  const { redirectUrl } = await readJsonBody(context, signInBody)
  // The guard has checked the origin. So the code that comes back goes to a page that may use this server.
  if (new URL(redirectUrl).origin !== context.req.header('origin')) {
    throw new ProblemError(
      400,
      'foreign-redirect',
      'The "redirectUrl" must be an address of the page that sends this request, with the same origin.',
    )
  }
  const address = await server.begin(context.get('ownerId'), redirectUrl)
  const body: SignInAddress = { address: address.href }
  return context.json(body, 200, { 'cache-control': 'no-store' })
}

/** The body of `POST /api/connections/:name/finish`: what the authorization server added to the address of the page. */
const finishBody = z.object({
  state: z.string().max(1_000),
  code: z.string().max(10_000).optional(),
  iss: z.string().max(2_000).optional(),
  error: z.string().max(1_000).optional(),
})

async function finish(context: HttpContext, server: PersonalLinks): Promise<Response> {
  const { iss: issuer, ...callback } = await readJsonBody(context, finishBody)
  const ownerId = context.get('ownerId')
  await server.finish(ownerId, { ...callback, issuer })
  return context.json({ status: await server.status(ownerId) })
}

function connectionNotFound(name: string): ProblemError {
  return new ProblemError(
    404,
    'connection-not-found',
    `There is no server ${JSON.stringify(name.slice(0, 100))} at which people sign in.`,
  )
}
