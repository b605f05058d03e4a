import { logName } from '@throughline/log/log-store'
import type { Run } from '@throughline/store/runs'

/** What was sent to clients of the answers to one message. */
interface Told {
  /** The answers that were sent to their end. */
  readonly runs: Set<string>
  /** The clients' own runs in which that was. */
  readonly clientRuns: Set<string>
}

/**
 * Remembers which answers were sent to a client to their end, and in which of the client's own runs. Only those to the
 * newest messages are kept, and only in memory: what is forgotten counts as not sent.
 */
export class SentAnswers {
  readonly #maxMessages: number
  readonly #byMessage = new Map<string, Told>()

  constructor(maxMessages = 10_000) {
    this.#maxMessages = maxMessages
  }

  add(run: Run, clientRunId: string): void {
    const key = keyOf(run)
    const told = this.#byMessage.get(key) ?? { runs: new Set(), clientRuns: new Set() }
    told.runs.add(run.id)
    told.clientRuns.add(clientRunId)
    // Set again, so that it is the newest.
    this.#byMessage.delete(key)
    this.#byMessage.set(key, told)
    const [oldest] = this.#byMessage.keys()
    if (this.#byMessage.size > this.#maxMessages && oldest !== undefined) this.#byMessage.delete(oldest)
  }

  /** Whether the answer was sent to its end, and this run of the client's is a new one. */
  isToldBefore(run: Run, clientRunId: string): boolean {
    const told = this.#byMessage.get(keyOf(run))
    return told?.runs.has(run.id) === true && !told.clientRuns.has(clientRunId)
  }
}

function keyOf(run: Run): string {
  return `${logName(run)}/${run.userMessageId}`
}
