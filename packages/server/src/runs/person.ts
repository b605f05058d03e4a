const prefix = 'user::'

/** Whether the target of a message is a person, and not an agent. */
export function isPerson(target: string): boolean {
  return target.startsWith(prefix)
}
