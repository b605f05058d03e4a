import type { Message } from '@throughline/protocol'
import { type BackoffOptions, backoffMs, pause } from '../http/backoff.ts'
import { asChatError, type ChatError } from '../http/chat-error.ts'

const maxRetries = 4

interface Sending {
  /** The message to show until the log brings it; `undefined` when only another answer was asked for. */
  readonly message: Message | undefined
  readonly deliver: () => Promise<unknown>
  failure?: ChatError | undefined
}

/**
 * What a person has sent and the log has not brought yet, by message id. Sending is idempotent: the server knows each
 * message by its id, so sending it again never starts a second run.
 */
export class Outgoing {
  readonly #onChange: () => void
  readonly #backoff: () => BackoffOptions | undefined
  readonly #sendings = new Map<string, Sending>()

  constructor(onChange: () => void, backoff: () => BackoffOptions | undefined) {
    this.#onChange = onChange
    this.#backoff = backoff
  }

  /** The messages that the log has not brought yet, in the order in which they were sent. */
  get messages(): readonly Message[] {
    return [...this.#sendings.values()].flatMap(({ message }) => message ?? [])
  }

  /** What could not be sent, by message id, and why. */
  get unsent(): ReadonlyMap<string, ChatError> {
    return new Map([...this.#sendings].flatMap(([id, { failure }]) => (failure ? [[id, failure]] : [])))
  }

  /** Whether anything is being sent now. */
  get isSending(): boolean {
    return [...this.#sendings.values()].some(({ failure }) => !failure)
  }

  /** Sends something. Resolves when the server has taken it, or when it could not be sent. Never rejects. */
  send(id: string, sending: Sending): Promise<void> {
    this.#sendings.set(id, sending)
    return this.#deliver(sending)
  }

  /** Sends something again that could not be sent. */
  async retry(id: string): Promise<void> {
    const sending = this.#sendings.get(id)
    if (sending?.failure) await this.#deliver(sending)
  }

  /** Forgets something that was sent. */
  drop(id: string): void {
    this.#sendings.delete(id)
    this.#onChange()
  }

  /** Forgets what the log has brought by now. It reached the server, even if the request seemed to fail. */
  settle(isKnown: (id: string) => boolean): void {
    for (const id of this.#sendings.keys()) if (isKnown(id)) this.drop(id)
  }

  async #deliver(sending: Sending): Promise<void> {
    sending.failure = undefined
    this.#onChange()
    // Never aborted: what a person has sent is delivered, even if the chat is closed right after.
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
