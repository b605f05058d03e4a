import { sentError } from './sent-error.ts'
import type { CallEvent } from './thread-messages.ts'

/** Collects the events of one turn of the event loop, and sends them together: most of what a message costs is its wake-up. */
export class EventBatch {
  readonly #send: (events: readonly CallEvent[]) => void
  #events: CallEvent[] = []

  constructor(send: (events: readonly CallEvent[]) => void) {
    this.#send = send
  }

  add(event: CallEvent): void {
    this.#events.push(event)
    if (this.#events.length === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const events = this.#events
    this.#events = []
    try {
      this.#send(events)
    } catch {
      // One of them has a value that cannot be sent, such as a function. The others must not suffer for it.
      for (const event of events) this.#sendAlone(event)
    }
  }

  #sendAlone(event: CallEvent): void {
    try {
      this.#send([event])
    } catch (error) {
      this.#send([{ call: event.call, failure: sentError(error) }])
    }
  }
}
