import type { TelegramUpdate } from './telegram-messages.ts'

/** An error response to a call. */
export class TelegramRefusal extends Error {
  override readonly name = 'TelegramRefusal'
  readonly status: number
  readonly parameters: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, description: string, parameters?: Readonly<Record<string, unknown>>) {
    super(description)
    this.status = status
    this.parameters = parameters
  }
}

export interface UpdatesQuestion {
  readonly offset: number
  readonly limit: number
  readonly timeoutSeconds: number
  /** Aborts when the caller has closed its connection. */
  readonly signal: AbortSignal
}

/** The updates that the bot has not confirmed yet. Asking for the updates after number n confirms all up to n. */
export class TelegramUpdates {
  readonly #pending: TelegramUpdate[] = []
  #ring: (() => void) | undefined
  #interrupt: ((error: Error) => void) | undefined
  readonly #onConfirm: () => void

  constructor(onConfirm: () => void) {
    this.#onConfirm = onConfirm
  }

  get pending(): readonly TelegramUpdate[] {
    return this.#pending
  }

  add(update: TelegramUpdate): void {
    this.#pending.push(update)
    this.#ring?.()
  }

  confirmBefore(updateId: number): void {
    const kept = this.#pending.filter(({ update_id }) => update_id >= updateId)
    this.#pending.splice(0, this.#pending.length, ...kept)
    this.#onConfirm()
  }

  /** Returns at once if there are updates. Otherwise waits for one, or until the time is over. */
  async ask({ offset, limit, timeoutSeconds, signal }: UpdatesQuestion): Promise<readonly TelegramUpdate[]> {
    const conflict =
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
    this.#interrupt?.(new TelegramRefusal(409, conflict))
    this.confirmBefore(offset)
    if (this.#pending.length === 0 && timeoutSeconds > 0) await this.#wait(timeoutSeconds, signal)
    return this.#pending.slice(0, limit)
  }

  async #wait(timeoutSeconds: number, signal: AbortSignal): Promise<void> {
    const waiting = Promise.withResolvers<void>()
    const timer = setTimeout(waiting.resolve, timeoutSeconds * 1000)
    this.#ring = waiting.resolve
    this.#interrupt = waiting.reject
    signal.addEventListener('abort', () => waiting.resolve(), { once: true })
    try {
      await waiting.promise
    } finally {
      clearTimeout(timer)
      if (this.#interrupt === waiting.reject) this.#interrupt = undefined
    }
  }
}
