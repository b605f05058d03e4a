const prefix = 'user::'

/** By which runs name the people who answer in place of agents, when they give no name of their own. */
export const operatorName = 'operator'

/** The longest name that a person can have here. */
export const maxPersonName = 100

/** Whether the target of a message is a person, and not an agent. */
export function isPerson(target: string): boolean {
  return target.startsWith(prefix)
}

/** The name of a person who is a target; empty when the target names nobody. */
export function personName(target: string): string {
  return isPerson(target) ? target.slice(prefix.length).trim() : ''
}

/** A person as the target of a message, or as who answers one. */
export function personTarget(name: string): string {
  return `${prefix}${name.trim()}`
}
