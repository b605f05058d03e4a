import type { SeededRandom } from '@throughline/agents/testing'
import type { FailPoint } from '../../server/fail-point.ts'

/** When a server dies: at a fail point, or some milliseconds after it accepted a message, whichever comes first. */
export interface Death {
  readonly failPoint: FailPoint | undefined
  readonly afterMs: number
}

/** Where a server can be told to die, and about how often a server comes there in its short life. */
const places: readonly [Place, ...Place[]] = [
  // In the thread of the database: a transaction is durable and nobody knows it yet, or is about to be durable.
  { name: 'before-commit', most: 40 },
  { name: 'after-commit', most: 40 },
  // Inside a transaction: while entries are appended, and while they are moved to the layout in which they stay.
  { name: 'insert-log_tail', most: 40 },
  { name: 'insert-log_entries', most: 60 },
  { name: 'delete-log_tail', most: 3 },
  { name: 'update-logs', most: 3 },
  { name: 'insert-runs', most: 4 },
  { name: 'update-runs', most: 3 },
  { name: 'insert-messages', most: 6 },
  // In the main thread: a run is claimed and has no entry, entries are written and not sent, an end is not saved.
  { name: 'before-runs.claim', most: 4 },
  { name: 'after-runs.claim', most: 4 },
  { name: 'after-log.acquire', most: 4 },
  { name: 'before-log.append', most: 40 },
  { name: 'after-log.append', most: 40 },
  { name: 'before-runs.end', most: 3 },
  { name: 'after-runs.end', most: 3 },
  { name: 'before-log.release', most: 3 },
  // In the middle of the removal of a chat.
  { name: 'after-files.removeAll', most: 1 },
  { name: 'before-log.remove', most: 1 },
  { name: 'insert-log_removals', most: 1 },
  { name: 'after-log.remove', most: 1 },
  { name: 'delete-log_removals', most: 1 },
  { name: 'after-chats.remove', most: 1 },
]

interface Place {
  readonly name: string
  readonly most: number
}

/** Chooses how a server dies: half of them at a fail point. The first times also hit what recovery does. */
export function planDeath(random: SeededRandom): Death {
  const afterMs = 50 + random.below(350)
  if (random.next() < 0.5) return { failPoint: undefined, afterMs }
  const { name, most } = random.pick(places)
  const isEarly = random.next() < 0.25
  return { failPoint: { name, count: 1 + random.below(isEarly ? Math.min(3, most) : most) }, afterMs: 800 }
}
