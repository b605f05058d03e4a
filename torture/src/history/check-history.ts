import { checkAnswers } from './check-answers.ts'
import { checkAttempts } from './check-attempts.ts'
import { checkMessages } from './check-messages.ts'
import { checkNumbers } from './check-numbers.ts'
import { checkRuns } from './check-runs.ts'
import { checkSightings } from './check-sightings.ts'
import { checkSubmissions } from './check-submissions.ts'
import { checkViewers } from './check-viewers.ts'
import type { ChatHistory, Finding, Violation } from './history.ts'
import { type ReadHistory, readHistory } from './read-history.ts'

const checks: readonly ((history: ReadHistory) => readonly Finding[])[] = [
  checkNumbers,
  checkSightings,
  checkViewers,
  checkRuns,
  checkAttempts,
  checkMessages,
  checkSubmissions,
  checkAnswers,
]

/** Returns everything in the history of a chat that must never happen. */
export function checkHistory(history: ChatHistory): readonly Violation[] {
  const { chatId } = history
  try {
    const read = readHistory(history)
    return checks.flatMap(check => check(read)).map(finding => ({ ...finding, chatId }))
  } catch (error) {
    // Only an entry that cannot be read throws.
    return [{ kind: 'wrong-bytes', invariant: 'A3', chatId, detail: String(error) }]
  }
}
