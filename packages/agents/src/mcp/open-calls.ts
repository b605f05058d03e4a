import { AsyncLocalStorage } from 'node:async_hooks'
import type { ElicitationRequest, ElicitResult } from '@ai-sdk/mcp'

/** Asks a person what a server wants to know. Resolves to what they say. */
export type Ask = (question: ElicitationRequest['params']) => Promise<ElicitResult>

/** The server has not returned the result of a call in time. */
export class McpTimedOut extends Error {
  override readonly name = 'McpTimedOut'
}

/** A call that waits for its result. */
interface OpenCall {
  readonly ask: Ask | undefined
  readonly clock: CallClock
  questions: number
}

/** How many questions a server may ask in one call. */
const maxQuestions = 10

/** The calls of one connection that wait for their results, and for whom a server asks its questions. */
export class OpenCalls {
  readonly #timeoutMs: number
  readonly #calls = new Set<OpenCall>()
  readonly #current = new AsyncLocalStorage<OpenCall>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  get size(): number {
    return this.#calls.size
  }

  /** Makes a call, which ends when its time is up. The time that a person takes to reply does not count. */
  async run<Result>(
    { signal, ask }: { readonly signal: AbortSignal | undefined; readonly ask: Ask | undefined },
    work: (limit: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const clock = new CallClock(this.#timeoutMs)
    const call: OpenCall = { ask, clock, questions: 0 }
    this.#calls.add(call)
    try {
      const limit = signal === undefined ? clock.signal : AbortSignal.any([signal, clock.signal])
      return await this.#current.run(call, () => work(limit))
    } catch (error) {
      throw clock.signal.aborted ? clock.signal.reason : error
    } finally {
      clock.stop()
      this.#calls.delete(call)
    }
  }

  /**
   * Asks the person whose call the server is working on. When it is not certain whose call that is, nobody is asked: one
   * person must not see the question for another.
   */
  async ask(question: ElicitationRequest['params']): Promise<ElicitResult> {
    const call = this.#asking()
    if (call?.ask === undefined) return { action: 'cancel' }
    call.questions += 1
    if (call.questions > maxQuestions) throw new Error(`One call may ask ${maxQuestions} questions.`)
    call.clock.stop()
    try {
      return await call.ask(question)
    } finally {
      call.clock.start()
    }
  }

  #asking(): OpenCall | undefined {
    // Over HTTP, a question comes with the response to its call, and so in the context of that call.
    const current = this.#current.getStore()
    if (current !== undefined && this.#calls.has(current)) return current
    const [only] = this.#calls
    return this.#calls.size === 1 ? only : undefined
  }
}

/** Aborts its signal after some time. The time can be stopped. */
class CallClock {
  readonly #timeoutMs: number
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #stops = 0

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
    this.#arm()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(): void {
    this.#stops += 1
    clearTimeout(this.#timer)
  }

  /** Gives the call its whole time again. */
  start(): void {
    this.#stops -= 1
    if (this.#stops === 0) this.#arm()
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      this.#controller.abort(new McpTimedOut(`It did not answer within ${this.#timeoutMs / 1000} seconds.`))
    }, this.#timeoutMs)
  }
}
