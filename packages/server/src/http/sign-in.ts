import { ProblemError } from '@throughline/protocol'
import type { Logger } from 'pino'
import type { HttpContext } from './context.ts'
import { askerOf, identify } from './identify.ts'
import type { Identified, IdentifyOptions } from './identity.ts'
import { RefusedSignIns } from './refused-sign-ins.ts'
import type { Route } from './route.ts'
import type { Tickets } from './tickets.ts'
import { ticketHolder } from './tickets-routes.ts'

/** How long after a check the sender of an open response is looked at again, in milliseconds. */
const recheckMs = 2_000
/** How long such a check may take, in milliseconds. */
const maxRecheckMs = 3_000

interface SignInOptions extends IdentifyOptions {
  readonly tickets: Tickets
  readonly logger: Logger
  readonly now: () => Date
}

/**
 * Says who sends a request, and goes on looking as long as its response is open: a stream must not outlive the session
 * in which it was opened. So it ends at most five seconds after the token was removed, or the application has ended the
 * session. Each process looks at its own streams, so this needs nothing shared.
 */
export class SignIn {
  readonly #options: SignInOptions
  readonly #refused: RefusedSignIns

  constructor(options: SignInOptions) {
    this.#options = options
    this.#refused = new RefusedSignIns(options)
  }

  /** Throws a 401 problem when the sender is not known. */
  async identify(context: HttpContext, route: Route): Promise<Identified> {
    try {
      const identified = await this.#ask(context, route)
      if (!this.#options.isForAll) this.#watch(context, route, identified)
      return identified
    } catch (error) {
      if (error instanceof ProblemError) this.#refused.log(context, route, error.code)
      throw error
    }
  }

  async #ask(context: HttpContext, route: Route, maxMs?: number): Promise<Identified> {
    const { tickets, ...options } = this.#options
    const asked = maxMs === undefined ? options : { ...options, authenticateMs: maxMs }
    const hasTicket = route.takesTicket === true && context.req.query('ticket') !== undefined
    return hasTicket ? ticketHolder(context, tickets, asked) : identify(askerOf(context), asked)
  }

  /** Cuts the response when its sender is not signed in any more. The next request of the client says why. */
  #watch(context: HttpContext, route: Route, { ownerId }: Identified): void {
    const { closed } = context.env
    if (closed.aborted) return
    let timer = setTimeout(check, recheckMs)
    closed.addEventListener('abort', () => clearTimeout(timer), { once: true })
    const isStill = async () => {
      // Also when the application cannot say it: whoever cannot be checked is not let in either.
      const now = await this.#ask(context, route, maxRecheckMs).catch(() => undefined)
      return now?.ownerId === ownerId
    }
    const { logger } = this.#options

    async function check(): Promise<void> {
      const isSignedIn = await isStill()
      if (closed.aborted) return
      if (isSignedIn) {
        timer = setTimeout(check, recheckMs)
        return
      }
      const facts = { requestId: context.get('requestId'), ownerId, route: route.path }
      logger.info(facts, 'a response was cut: its sender is not signed in any more')
      context.env.cut()
    }
  }
}
