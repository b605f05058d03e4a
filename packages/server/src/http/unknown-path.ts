import type { HttpContext } from './context.ts'
import { errorResponse } from './openai/open-ai-problem.ts'
import { routeNotFound } from './problems.ts'
import type { Route } from './route.ts'

/** The routes of the server: those for programs, and those of the page. */
export interface KnownRoutes {
  readonly api: readonly Route[]
  readonly pages: readonly Route[]
}

/**
 * Returns a handler for paths without a route. A browser that goes to such an address gets the page, with the status
 * 404: the page says in the person's language that there is nothing. Everybody else gets a problem. So does a browser
 * below `/api` and the other roots of the API, where only programs look for something.
 */
export function unknownPath({ api, pages }: KnownRoutes): (context: HttpContext) => Promise<Response> {
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
