import type { HttpContext } from './context.ts'

/** A route cannot be written without saying who may use it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /**
   * `owner`: whoever is known, on what is theirs. `public`: anyone who reaches the server. `signed`: whoever can
   * sign the request as the handler demands, before it reads it.
   */
  readonly policy: 'owner' | 'public' | 'signed'
  readonly handle: (context: HttpContext) => Response | Promise<Response>
}
