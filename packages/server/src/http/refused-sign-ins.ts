import type { Logger } from 'pino'
import type { HttpContext } from './context.ts'
import type { Route } from './route.ts'

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
export class RefusedSignIns {
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
