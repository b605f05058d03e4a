import { isTooDeep, maxJsonDepth } from '@throughline/protocol/json-depth'

/**
 * A value as JSON will carry it: what a tool keeps changing afterwards, what JSON cannot say (cycles, big integers,
 * functions), and what is nested so deeply that it could not be written again, must not reach the log.
 */
export function toJsonValue(value: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(toJson(value))
    return isTooDeep(copy) ? tooDeep : copy
  } catch {
    // So deep that reading it ran out of stack.
    return tooDeep
  }
}

/** The same value as the text of its JSON. */
export function toJson(value: unknown): string {
  try {
    const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
    return json ?? 'null'
  } catch (error) {
    // So deep that writing it ran out of stack; or cyclic, or a toJSON that throws. The page gets a text.
    return JSON.stringify(error instanceof RangeError ? tooDeep : textOf(value))
  }
}

const tooDeep = `A value that is nested deeper than ${maxJsonDepth} levels.`

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    // It has no text either.
    return 'A value that cannot be written down.'
  }
}
