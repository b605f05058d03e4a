import type { Agent } from '@throughline/agents'
import type { Run } from '@throughline/store'

const prefix = 'user::'

/** The agent name of runs in which a person answers without a name of their own. */
export const operatorName = 'operator'

/** The longest name of a person, in characters. */
export const maxPersonName = 100

/** Returns whether a message is for a person, and not for an agent. */
export function isPerson(target: string): boolean {
  return target.startsWith(prefix)
}

/** Returns the name of the person that a message is for. Empty when it is for nobody. */
export function personName(target: string): string {
  return isPerson(target) ? target.slice(prefix.length).trim().normalize('NFC') : ''
}

/** Returns a person of this name in the form that messages and runs use, such as `user::Ann`. */
export function personTarget(name: string): string {
  return `${prefix}${name.trim().normalize('NFC')}`
}

/** Returns how the one who answers in a run is called, also when there is no such agent any more. */
export function whoAnswers(
  agents: ReadonlyMap<string, Agent>,
  { agent: name }: Pick<Run, 'agent'>,
): Pick<Agent, 'name' | 'displayName'> {
  return agents.get(name) ?? { name, displayName: personName(name) || name }
}
