import { hash } from 'node:crypto'
import { logName } from '@throughline/log'
import type { Run } from '@throughline/store'

/** The answers to one message that were sent to clients. */
interface SentToClients {
  /** The answers that were sent to their end. */
  readonly runs: Set<string>
  /** Digests of the `runId`s of the requests that got one of them to its end. */
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
    addNewest(sent.runs, run.id)
    addNewest(sent.clientRuns, digestOf(clientRunId))
    // A map is ordered by insertion. The key is inserted again, so that it is the newest.
    this.#byMessage.delete(key)
    this.#byMessage.set(key, sent)
    const [oldest] = this.#byMessage.keys()
    if (this.#byMessage.size > this.#maxMessages && oldest !== undefined) this.#byMessage.delete(oldest)
  }

  /** Whether the answer was sent to its end, but not in this AG-UI run of the client. */
  wasSentBefore(run: Run, clientRunId: string): boolean {
    const sent = this.#byMessage.get(keyOf(run))
    return sent?.runs.has(run.id) === true && !sent.clientRuns.has(digestOf(clientRunId))
  }
}

/** How many answers, and how many requests, are remembered for one message. */
const maxRemembered = 100

/** Adds a text to a set, which is ordered by insertion, and forgets the oldest when there are too many. */
function addNewest(set: Set<string>, text: string): void {
  set.delete(text)
  set.add(text)
  const [oldest] = set
  if (set.size > maxRemembered && oldest !== undefined) set.delete(oldest)
}

// Whatever a client sends, it takes no more room than this.
function digestOf(clientRunId: string): string {
  return hash('sha256', clientRunId, 'base64').slice(0, 22)
}

function keyOf(run: Run): string {
  return `${logName(run)}/${run.userMessageId}`
}
