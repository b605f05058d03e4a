import type { HttpContext } from './context.ts'

/** One route. Each route says who may use it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /**
   * - `owner`: a known owner, for their own data.
   * - `public`: everybody who reaches the server.
   * - `signed`: whoever can sign the request. The handler checks the signature.
   */
  readonly policy: 'owner' | 'public' | 'signed'
  /** Whether a ticket for the chat `:id` opens it too. Only for streams that change nothing. */
  readonly takesTicket?: true
  /** A route that is not a GET, and works although the data of the server is gone. */
  readonly savesNothing?: true
  readonly handle: (context: HttpContext) => Response | Promise<Response>
}
