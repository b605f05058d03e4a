import type { Message } from '@throughline/protocol/message'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { asChatError, type ChatError } from './chat-error.ts'

const maxRetries = 4

interface Sending {
  /** What a person sees of it until the log brings it; an answer that was asked for shows nothing yet. */
  readonly message: Message | undefined
  readonly deliver: () => Promise<unknown>
  failure?: ChatError | undefined
}

/**
 * What a person has sent and the log has not brought yet, by the id under which the log will bring it. The server
 * knows each by this id, so that sending one again can never start a second run.
 */
export class Outgoing {
  readonly #onChange: () => void
  readonly #backoff: () => BackoffOptions | undefined
  readonly #sendings = new Map<string, Sending>()

  constructor(onChange: () => void, backoff: () => BackoffOptions | undefined) {
    this.#onChange = onChange
    this.#backoff = backoff
  }

  get messages(): readonly Message[] {
    return [...this.#sendings.values()].flatMap(({ message }) => message ?? [])
  }

  /** What did not reach the server, and why. */
  get unsent(): ReadonlyMap<string, ChatError> {
    return new Map([...this.#sendings].flatMap(([id, { failure }]) => (failure ? [[id, failure]] : [])))
  }

  /** Something is on its way. */
  get isSending(): boolean {
    return [...this.#sendings.values()].some(({ failure }) => !failure)
  }

  /** Shows the message at once, and delivers it. Resolves when the server has it, or has not. */
  send(id: string, sending: Sending): Promise<void> {
    this.#sendings.set(id, sending)
    return this.#deliver(sending)
  }

  /** Delivers again what did not reach the server. */
  async retry(id: string): Promise<void> {
    const sending = this.#sendings.get(id)
    if (sending?.failure) await this.#deliver(sending)
  }

  /** Takes back what did not reach the server. */
  drop(id: string): void {
    this.#sendings.delete(id)
    this.#onChange()
  }

  /** Forgets what the log has brought: it did reach the server, whatever became of the request. */
  settle(isKnown: (id: string) => boolean): void {
    for (const id of this.#sendings.keys()) if (isKnown(id)) this.drop(id)
  }

  async #deliver(sending: Sending): Promise<void> {
    sending.failure = undefined
    this.#onChange()
    // Not tied to anything's end: who sends and leaves at once has still sent.
    const { signal } = new AbortController()
    for (let attempt = 0; ; attempt += 1) {
      try {
        await sending.deliver()
        return
      } catch (error) {
        const failure = asChatError(error)
        if (!failure.isTemporary || attempt === maxRetries) {
          sending.failure = failure
          this.#onChange()
          return
        }
        await pause(backoffMs(attempt, this.#backoff()), signal)
      }
    }
  }
}
