import type { Agent } from '@throughline/agents'
import type { Run } from '@throughline/store'
import { personName } from './person.ts'

/** Returns how the one who answers in a run is called, also when there is no such agent any more. */
export function whoAnswers(
  agents: ReadonlyMap<string, Agent>,
  { agent: name }: Pick<Run, 'agent'>,
): Pick<Agent, 'name' | 'displayName'> {
  return agents.get(name) ?? { name, displayName: personName(name) || name }
}
