import { effectsIn } from '@throughline/testing/nodes/counted-tool'
import type { DatabaseWitness } from '@throughline/testing/nodes/database-witness'
import { checkEffects } from '../history/check-effects.ts'
import { checkTakeovers } from '../history/check-takeovers.ts'
import type { Violation } from '../history/history.ts'
import { emptyTally, type Tally } from '../scenarios/tally.ts'
import type { Death } from './node-cluster.ts'

/** What is known about a cluster in which nothing should go on any more. */
interface ClusterFacts {
  readonly deaths: readonly Death[]
  readonly witness: DatabaseWitness
  readonly effectsFile: string
  /** How many chats did not end in time. */
  readonly unfinished: number
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
}: ClusterFacts): Promise<Tally> {
  const { running = 0, ...ended } = await witness.countRuns()
  const { takeoversMs, violations } = checkTakeovers({
    deaths,
    changes: await witness.ownerChanges(),
    written: await witness.entryTimes(),
  })
  return {
    ...emptyTally,
    done: deaths.length,
    runs: running + Object.values(ended).reduce((sum, count) => sum + count, 0),
    takeoversMs,
    notes: Object.fromEntries(Object.entries(ended).map(([status, count]) => [`answers ${status}`, count])),
    violations: [
      ...(await staleAppends(witness)),
      ...checkEffects(await effectsIn(effectsFile), { idempotent: new Set(['look']) }),
      ...violations,
      ...leftRunning(running, unfinished),
    ],
  }
}

async function staleAppends(witness: DatabaseWitness): Promise<readonly Violation[]> {
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
