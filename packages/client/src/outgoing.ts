import type { Message } from '@throughline/protocol/message'
import { type BackoffOptions, backoffMs, pause } from './backoff.ts'
import { asChatError, type ChatError } from './chat-error.ts'

const maxRetries = 4

interface Sending {
  /** What a person sees of it until the log brings it; an answer that was asked for shows nothing yet. */
  readonly message: Message | undefined
  readonly deliver: () => Promise<unknown>
  readonly failure: ChatError | undefined
}

/**
 * What a person has sent and the log has not brought yet, by the id under which the log will bring it. The server
 * knows each by this id, so that sending one again can never start a second run.
 */
export class Outgoing {
  readonly #onChange: () => void
  readonly #backoff: () => BackoffOptions | undefined
  #sendings: ReadonlyMap<string, Sending> = new Map()
  #unsent: ReadonlyMap<string, ChatError> = new Map()

  constructor(onChange: () => void, backoff: () => BackoffOptions | undefined) {
    this.#onChange = onChange
    this.#backoff = backoff
  }

  get messages(): readonly Message[] {
    return [...this.#sendings.values()].flatMap(({ message }) => message ?? [])
  }

  /** What did not reach the server, and why. The same map as long as nothing in it changes. */
  get unsent(): ReadonlyMap<string, ChatError> {
    return this.#unsent
  }

  /** Something is on its way. */
  get isSending(): boolean {
    return [...this.#sendings.values()].some(({ failure }) => failure === undefined)
  }

  /** Shows the message at once, and delivers it. Resolves when the server has it, or has not. */
  async send(id: string, message: Message | undefined, deliver: () => Promise<unknown>): Promise<void> {
    this.#set(id, { message, deliver, failure: undefined })
    const failure = await this.#deliver(deliver)
    const sending = this.#sendings.get(id)
    if (failure !== undefined && sending !== undefined) this.#set(id, { ...sending, failure })
  }

  /** Delivers again what did not reach the server. */
  async retry(id: string): Promise<void> {
    const sending = this.#sendings.get(id)
    if (sending?.failure !== undefined) await this.send(id, sending.message, sending.deliver)
  }

  /** Takes back what did not reach the server. */
  drop(id: string): void {
    this.#keep(each => each !== id)
  }

  /** Forgets what the log has brought: it did reach the server, whatever became of the request. */
  settle(isKnown: (id: string) => boolean): void {
    if ([...this.#sendings.keys()].some(isKnown)) this.#keep(id => !isKnown(id))
  }

  // Not tied to anything's end: who sends and leaves at once has still sent.
  async #deliver(deliver: () => Promise<unknown>): Promise<ChatError | undefined> {
    const { signal } = new AbortController()
    for (let attempt = 0; ; attempt += 1) {
      try {
        await deliver()
        return undefined
      } catch (error) {
        const failure = asChatError(error)
        if (!failure.isTemporary || attempt === maxRetries) return failure
        await pause(backoffMs(attempt, this.#backoff()), signal)
      }
    }
  }

  #set(id: string, sending: Sending): void {
    this.#replace(new Map(this.#sendings).set(id, sending))
  }

  #keep(isKept: (id: string) => boolean): void {
    this.#replace(new Map([...this.#sendings].filter(([id]) => isKept(id))))
  }

  #replace(sendings: ReadonlyMap<string, Sending>): void {
    this.#sendings = sendings
    const unsent = [...sendings].flatMap(([id, { failure }]) => (failure ? [[id, failure] as const] : []))
    const isSame =
      unsent.length === this.#unsent.size && unsent.every(([id, why]) => this.#unsent.get(id) === why)
    if (!isSame) this.#unsent = new Map(unsent)
    this.#onChange()
  }
}
