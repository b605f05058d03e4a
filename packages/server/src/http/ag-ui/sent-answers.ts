import { logName } from '@throughline/log'
import type { Run } from '@throughline/store'

/** The answers to one message that were sent to clients. */
interface SentToClients {
  /** The answers that were sent to their end. */
  readonly runs: Set<string>
  /** The `runId`s of the requests that got one of them to its end. */
  readonly clientRuns: Set<string>
}

/**
 * Remembers which answers were sent to a client to their end, and in which AG-UI run of the client. Only the newest
 * messages are kept, and only in memory. An answer that is forgotten counts as not sent.
 */
export class SentAnswers {
  readonly #maxMessages: number
  readonly #byMessage = new Map<string, SentToClients>()

  constructor(maxMessages = 10_000) {
    this.#maxMessages = maxMessages
  }

  add(run: Run, clientRunId: string): void {
    const key = keyOf(run)
    const sent = this.#byMessage.get(key) ?? { runs: new Set(), clientRuns: new Set() }
    sent.runs.add(run.id)
    sent.clientRuns.add(clientRunId)
    // A map is ordered by insertion. The key is inserted again, so that it is the newest.
    this.#byMessage.delete(key)
    this.#byMessage.set(key, sent)
    const [oldest] = this.#byMessage.keys()
    if (this.#byMessage.size > this.#maxMessages && oldest !== undefined) this.#byMessage.delete(oldest)
  }

  /** Whether the answer was sent to its end, but not in this AG-UI run of the client. */
  wasSentBefore(run: Run, clientRunId: string): boolean {
    const sent = this.#byMessage.get(keyOf(run))
    return sent?.runs.has(run.id) === true && !sent.clientRuns.has(clientRunId)
  }
}

function keyOf(run: Run): string {
  return `${logName(run)}/${run.userMessageId}`
}
