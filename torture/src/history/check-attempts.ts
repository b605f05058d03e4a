import type { Entry } from '@throughline/protocol/entry'
import type { Finding } from './history.ts'
import type { ReadHistory } from './read-history.ts'

/** A7: each time that a run goes on after a crash, its mark has a higher number. */
export function checkAttempts({ entries }: ReadHistory): readonly Finding[] {
  return [...Map.groupBy(entries, ({ runId }) => runId)].flatMap(([runId, ofRun]): readonly Finding[] => {
    const attempts = ofRun.flatMap(attemptIn)
    if (attempts.every((attempt, index) => attempt > (attempts[index - 1] ?? 0))) return []
    const detail = `Run ${runId} went on with the attempts ${attempts.join(', ')}.`
    return [{ kind: 'stale', invariant: 'A7', detail }]
  })
}

function attemptIn({ chunk }: Entry): readonly number[] {
  if (chunk.type !== 'data-continued' || !('data' in chunk)) return []
  const { data } = chunk
  return typeof data === 'object' && data !== null && 'attempt' in data ? [Number(data.attempt)] : []
}
