import { CommandError } from '../command-error.ts'
import type { Check } from './check.ts'
import { answerChecks } from './checks/answer-checks.ts'
import { heartbeatChecks } from './checks/heartbeat-checks.ts'
import { historyChecks } from './checks/history-checks.ts'
import { orderChecks } from './checks/order-checks.ts'
import { ownerChecks } from './checks/owner-checks.ts'
import { resumeChecks } from './checks/resume-checks.ts'
import { stopChecks } from './checks/stop-checks.ts'
import { streamChecks } from './checks/stream-checks.ts'
import { submitChecks } from './checks/submit-checks.ts'

/** All checks, in the order in which they are made. A check comes after those that it needs; the last one deletes. */
const allChecks: readonly Check[] = [
  ...answerChecks,
  ...streamChecks,
  ...orderChecks,
  ...resumeChecks,
  ...submitChecks,
  ...stopChecks,
  ...ownerChecks,
  ...heartbeatChecks,
  ...historyChecks,
]

/**
 * Returns the checks to make: all of them, or those of one name or group, with what they need. Throws a `CommandError`
 * for an unknown name.
 */
export function chosenChecks(only: string | undefined): readonly Check[] {
  if (only === undefined) return allChecks
  const chosen = allChecks.filter(({ name }) => name === only || name.startsWith(`${only}/`))
  if (chosen.length === 0)
    throw new CommandError(
      `--only: there is no check "${only}". There are ${allChecks.map(({ name }) => name).join(', ')}.`,
    )
  const names = new Set(chosen.map(({ name }) => name))
  // From the last to the first: a check comes after those that it needs.
  for (const { name, needs = [] } of allChecks.toReversed())
    if (names.has(name)) for (const needed of needs) names.add(needed)
  return allChecks.filter(({ name }) => names.has(name))
}
