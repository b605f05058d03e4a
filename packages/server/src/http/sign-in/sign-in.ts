import { ProblemError } from '@throughline/protocol'
import type { Logger } from 'pino'
import type { HttpContext } from '../request/context.ts'
import type { Route } from '../request/route.ts'
import { askerOf, identify } from './identify.ts'
import type { Identified, IdentifyOptions } from './identity.ts'
import { type Tickets, ticketHolder } from './tickets.ts'

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
export class RequestSignIn {
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

/** How many lines may be written at once. */
const burst = 20
/** After how long another line may be written, in milliseconds. */
const refillMs = 3_000

interface RefusedOptions {
  readonly logger: Logger
  readonly now: () => Date
}

/**
 * Logs requests whose sender is not known: from where, which route, and why. Never the token or the ticket. A token bucket
 * limits the lines, so that strangers cannot fill a disk with them. The next line says how many were left out.
 */
class RefusedSignIns {
  readonly #options: RefusedOptions
  #left = burst
  #refilledAt: number
  #leftOut = 0

  constructor(options: RefusedOptions) {
    this.#options = options
    this.#refilledAt = options.now().getTime()
  }

  log({ req, env, get }: HttpContext, route: Route, code: string): void {
    this.#refill()
    if (this.#left === 0) {
      this.#leftOut++
      return
    }
    this.#left--
    // Anybody can write this header. Only behind a proxy that replaces it, it says more than the address.
    const forwardedFor = req.header('x-forwarded-for')?.slice(0, 100)
    const reason =
      code === 'token-required' && req.header('authorization') !== undefined ? 'unknown-token' : code
    const leftOut = this.#leftOut === 0 ? undefined : this.#leftOut
    this.#leftOut = 0
    this.#options.logger.info(
      {
        address: env.address,
        forwardedFor,
        method: req.method,
        route: route.path,
        reason,
        leftOut,
        requestId: get('requestId'),
      },
      'a sign-in was refused',
    )
  }

  #refill(): void {
    const now = this.#options.now().getTime()
    const lines = Math.floor((now - this.#refilledAt) / refillMs)
    if (lines <= 0) return
    this.#left = Math.min(burst, this.#left + lines)
    this.#refilledAt = now
  }
}
