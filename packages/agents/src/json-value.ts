/**
 * A value as JSON will carry it: what a tool keeps changing afterwards, and what JSON cannot say (cycles, big
 * integers, functions), must not reach the log.
 */
export function toJsonValue(value: unknown): unknown {
  try {
    const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
    return json === undefined ? null : JSON.parse(json)
  } catch {
    // Cyclic, or a toJSON that throws: the page gets its text instead of an error.
    return textOf(value)
  }
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    // It has no text either.
    return 'A value that cannot be written down.'
  }
}
