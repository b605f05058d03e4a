import { type Message, randomHex } from '@throughline/protocol'
import { pause } from '@throughline/protocol/internal'
import { type BackoffOptions, backoffMs } from '../http/backoff.ts'
import { asChatError, type ChatError } from '../http/chat-error.ts'
import type { SendMessageOptions } from './chat-options.ts'
import { Waker } from './waker.ts'

const maxRetries = 4

interface Sending {
  /** The message to show until the log brings it; `undefined` when only another answer was asked for. */
  readonly message: Message | undefined
  /** Whether the message waits for the end of an answer. It is shown apart from the other messages. */
  readonly isBehind: boolean
  /** Whether to send it until the server has it, however long that takes. */
  readonly isPatient?: boolean | undefined
  readonly deliver: () => Promise<unknown>
  failure?: ChatError | undefined
  /** It waits for others or for an attempt; the server has taken it; or it is not sent until somebody retries it. */
  phase?: 'waiting' | 'taken' | 'refused'
}

/**
 * What a person has sent and the log has not brought yet, by message id. It is sent one after the other, so the order
 * stays. Sending is idempotent: the server knows each message by its id, so sending it again never starts a second run.
 */
export class Outgoing {
  readonly #onChange: () => void
  readonly #backoff: () => BackoffOptions | undefined
  readonly #sendings = new Map<string, Sending>()
  readonly #waker = new Waker()
  #lastDelivery: Promise<void> | undefined

  constructor(onChange: () => void, backoff: () => BackoffOptions | undefined) {
    this.#onChange = onChange
    this.#backoff = backoff
  }

  /**
   * The messages to show, in the order in which they were sent: those behind an answer, or all others. One that could not
   * be sent is among the others.
   */
  messages(isBehind: boolean): readonly Message[] {
    return [...this.#sendings.values()].flatMap(each =>
      each.message && (each.isBehind && !each.failure) === isBehind ? each.message : [],
    )
  }

  /** What could not be sent, by message id, and why. */
  get unsent(): ReadonlyMap<string, ChatError> {
    return new Map([...this.#sendings].flatMap(([id, { failure }]) => (failure ? [[id, failure]] : [])))
  }

  /** Whether anything is being sent now. */
  get isSending(): boolean {
    return [...this.#sendings.values()].some(({ failure }) => !failure)
  }

  has(id: string): boolean {
    return this.#sendings.has(id)
  }

  /** Sends something. Resolves when the server has taken it, or when it could not be sent. Never rejects. */
  send(id: string, sending: Sending): Promise<void> {
    this.#sendings.set(id, sending)
    return this.#deliverInOrder(id, sending)
  }

  /** Sends something again that could not be sent. If it waits for the next attempt, that one begins at once. */
  async retry(id: string): Promise<void> {
    const sending = this.#sendings.get(id)
    if (!sending?.failure) return
    if (sending.phase === 'waiting') return this.wake()
    await this.#deliverInOrder(id, sending)
  }

  /** Begins the next attempt at once: the server is there again. */
  wake(): void {
    this.#waker.wake()
  }

  /** Forgets something that was sent. It is not sent again. */
  drop(id: string): void {
    this.#sendings.delete(id)
    this.#onChange()
  }

  /**
   * Forgets what the log has brought by now. It reached the server, even if the request seemed to fail. Returns the ids.
   */
  settle(isKnown: (id: string) => boolean): readonly string[] {
    const settled = [...this.#sendings.keys()].filter(isKnown)
    for (const id of settled) this.drop(id)
    return settled
  }

  #deliverInOrder(id: string, sending: Sending): Promise<void> {
    // Behind a message that waits for the server, this one waits too.
    const ahead = [...this.#sendings.values()].find(each => each.phase === 'waiting' && each.failure)
    sending.failure = ahead?.failure
    sending.phase = 'waiting'
    const deliver = () => this.#deliver(id, sending)
    // With nothing before it, the request leaves at once: a stop that follows it must not overtake it.
    const delivery = this.#lastDelivery?.then(deliver) ?? deliver()
    this.#lastDelivery = delivery
    void delivery.then(() => {
      if (this.#lastDelivery === delivery) this.#lastDelivery = undefined
    })
    this.#onChange()
    return delivery
  }

  async #deliver(id: string, sending: Sending): Promise<void> {
    // Never aborted: what a person has sent is delivered, even if the chat is closed right after.
    const { signal } = new AbortController()
    for (let attempt = 0; this.#sendings.get(id) === sending; attempt += 1) {
      try {
        await sending.deliver()
        sending.phase = 'taken'
        sending.failure = undefined
        return this.#onChange()
      } catch (error) {
        const failure = asChatError(error)
        const goesOn = failure.isTemporary && (sending.isPatient || attempt < maxRetries)
        if (!goesOn) return this.#refuse(sending, failure)
        if (sending.isPatient) this.#sayWhy(failure)
        await pause(backoffMs(attempt, this.#backoff()), sending.isPatient ? this.#waker.signal : signal)
      }
    }
  }

  #refuse(sending: Sending, failure: ChatError): void {
    sending.phase = 'refused'
    sending.failure = failure
    this.#onChange()
  }

  /** The server is away: says so of everything that waits for it. */
  #sayWhy(failure: ChatError): void {
    for (const each of this.#sendings.values()) if (each.phase === 'waiting') each.failure = failure
    this.#onChange()
  }
}

interface MessageFields extends Pick<SendMessageOptions, 'files' | 'metadata' | 'model'> {
  readonly senderName: string | undefined
  /** The message that this one follows, when that is not the last one of the chat. */
  readonly previousMessageId: string | undefined
}

/** Returns a message of the person, with a new id. */
export function newMessage(
  text: string,
  { files = [], metadata, model, senderName, previousMessageId }: MessageFields,
): Message {
  return {
    id: `user_${randomHex(16)}`,
    role: 'user',
    parts: [...files, { type: 'text', text }],
    metadata: {
      ...metadata,
      communicationType: 'user-to-agent',
      createdAt: new Date().toISOString(),
      senderName,
      previousMessageId,
      // The server sets it too. Here it is for the page, until the log brings the message.
      chosenModel: model,
    },
  }
}
