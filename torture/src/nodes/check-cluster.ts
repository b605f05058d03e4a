import { checkHistory, checkTakeovers, type Death, type Violation } from '@throughline/protocol/history'
import { effectsIn } from '@throughline/testing/nodes/counted-tool'
import type { DatabaseWitness } from '@throughline/testing/nodes/database-witness'
import { emptyTally, type Tally } from '../scenarios/tally.ts'

/** What is known about a cluster in which nothing should go on any more. */
interface ClusterFacts {
  readonly deaths: readonly Death[]
  /** `undefined`: the nodes have no Postgres database. */
  readonly witness: DatabaseWitness | undefined
  readonly effectsFile: string
  /** How many chats did not end in time. */
  readonly unfinished: number
  /** The calls of tools that the database still knows. Default: it has lost none. */
  readonly knownCalls?: ReadonlySet<string>
}

/**
 * A7: no node wrote to a log whose lease another node had. D4: every run was taken over in time, and none goes on. D6: no
 * tool did its work twice.
 */
export async function checkCluster({
  deaths,
  witness,
  effectsFile,
  unfinished,
  knownCalls,
}: ClusterFacts): Promise<Tally> {
  const { running = 0, ...ended } = (await witness?.countRuns()) ?? {}
  const effects = (await effectsIn(effectsFile)).filter(
    ({ idempotencyKey }) => knownCalls?.has(idempotencyKey.slice(idempotencyKey.indexOf(':') + 1)) ?? true,
  )
  const { takeoversMs, violations } = checkTakeovers({
    deaths,
    changes: (await witness?.ownerChanges()) ?? [],
    written: (await witness?.entryTimes()) ?? new Map(),
  })
  return {
    ...emptyTally,
    done: deaths.length,
    runs: running + Object.values(ended).reduce((sum, count) => sum + count, 0),
    takeoversMs,
    notes: Object.fromEntries(Object.entries(ended).map(([status, count]) => [`answers ${status}`, count])),
    violations: [
      ...(witness === undefined ? [] : await staleAppends(witness)),
      ...checkHistory({ chatId: 'all chats', effects }),
      ...violations,
      ...leftRunning(running, unfinished),
    ],
  }
}

/** A7: no node wrote to a log whose lease another node had. */
export async function staleAppends(witness: DatabaseWitness): Promise<readonly Violation[]> {
  return (await witness.staleAppends()).map(({ log, seq, writer, holder }) => {
    const detail = `Entry ${seq} was written by ${writer} while ${holder ?? 'nobody'} had the lease.`
    return { kind: 'stale', invariant: 'A7', chatId: log, detail }
  })
}

function leftRunning(running: number, unfinished: number): readonly Violation[] {
  if (running + unfinished === 0) return []
  const detail = `${running} runs go on, and ${unfinished} chats did not end in time.`
  return [{ kind: 'left-running', invariant: 'D4', chatId: 'all chats', detail }]
}
