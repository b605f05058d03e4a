import type { ChatHistory, Finding, Violation } from './chat-history.ts'
import { checkAttempts, checkEffects, checkNumbers, checkRealTime, checkRuns } from './check-entries.ts'
import { checkAnswers, checkMessages, checkPosts, checkSubmissions } from './check-messages.ts'
import { checkEpochs, checkLoads, checkSightings, checkViewers } from './check-viewers.ts'
import { type ReadChat, type ReadHistory, readHistory } from './read-history.ts'

/** These need what the server has in the end. */
const savedChecks: readonly ((chat: ReadChat, history: ReadHistory) => readonly Finding[])[] = [
  checkNumbers,
  checkSightings,
  checkEpochs,
  checkViewers,
  checkLoads,
  checkRuns,
  checkAttempts,
  checkMessages,
  checkSubmissions,
  checkAnswers,
  checkRealTime,
]

/**
 * Returns everything in the history of a chat that must never happen: in the log and the messages that are saved, and between
 * them and what was sent, what viewers saw, what stops said, what tools did, and what a channel posted. Each check says what
 * it compares, with the names of the invariants.
 */
export function checkHistory(history: ChatHistory): readonly Violation[] {
  const { chatId } = history
  const findings = orUnreadable(() => {
    const read = readHistory(history)
    const { saved } = read
    const onSaved = saved === undefined ? [] : savedChecks.map(check => () => check(saved, read))
    const all = [...onSaved, () => checkEffects(read), () => checkPosts(read)]
    return all.flatMap(orUnreadable)
  })
  return findings.map(found => ({ ...found, chatId }))
}

/** A check throws only at an entry that nobody can read, or fold. The others may still say what is wrong with it. */
function orUnreadable(check: () => readonly Finding[]): readonly Finding[] {
  try {
    return check()
  } catch (error) {
    return [{ kind: 'wrong-bytes', invariant: 'A3', detail: String(error) }]
  }
}
