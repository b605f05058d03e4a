import { isTooDeep, maxJsonDepth } from '@throughline/protocol/internal'

/**
 * Returns a copy of a value as JSON has it. The log must contain no value that a tool changes later, none that JSON cannot
 * express (cycles, big integers, functions), and none that is nested too deep to be written again.
 */
export function toJsonValue(value: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(toJson(value))
    return isTooDeep(copy) ? tooDeep : copy
  } catch {
    // It is nested so deep that reading it ran out of stack.
    return tooDeep
  }
}

/** Returns the JSON of a value as text. Never throws: a value without JSON becomes a text that describes it. */
export function toJson(value: unknown): string {
  try {
    const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
    return json ?? 'null'
  } catch (error) {
    // It is nested too deep for the stack, it is cyclic, or its toJSON throws.
    return JSON.stringify(error instanceof RangeError ? tooDeep : textOf(value))
  }
}

const tooDeep = `A value that is nested deeper than ${maxJsonDepth} levels.`

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    // Its toString throws, too.
    return 'A value that cannot be written down.'
  }
}
