import type { Entry, RunId } from '@throughline/protocol'
import type { Author } from './authors.ts'

/** An answer that can be inspected: one run. */
export interface RunChoice {
  readonly runId: RunId
  /** The answer of the run. */
  readonly messageId: string
  readonly name: string
  /** The beginning of what the person asked; empty when the run has no question of its own. */
  readonly question: string
}

/** Returns the answers of a chat, oldest first. Sub-agents belong to the answer that they worked for. */
export function runsOf(authors: ReadonlyMap<string, Author>): readonly RunChoice[] {
  const all = [...authors.values()]
  const questions = new Map(all.filter(({ role }) => role === 'person').map(each => [each.runId, each.text]))
  return all.flatMap(({ role, parent, runId, messageId, name }) =>
    role === 'agent' && parent === undefined
      ? [{ runId, messageId, name, question: questions.get(runId) ?? '' }]
      : [],
  )
}

/** The entries of a log, or of a part of it, with the size of each in bytes. */
export interface Scope {
  readonly entries: readonly Entry[]
  readonly sizes: readonly number[]
}

/** Returns the entries of one run, with their sizes; all of them without a run. */
export function scopeOf(log: Scope, runId: RunId | undefined): Scope {
  if (runId === undefined) return log
  const entries: Entry[] = []
  const sizes: number[] = []
  for (const [index, entry] of log.entries.entries()) {
    if (entry.runId !== runId) continue
    entries.push(entry)
    sizes.push(log.sizes[index] ?? 0)
  }
  return { entries, sizes }
}
