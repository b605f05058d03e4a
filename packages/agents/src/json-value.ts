import { isTooDeep, maxJsonDepth } from '@throughline/protocol/json-depth'

/**
 * A value as JSON will carry it: what a tool keeps changing afterwards, what JSON cannot say (cycles, big integers,
 * functions), and what is nested so deeply that it could not be written again, must not reach the log.
 */
export function toJsonValue(value: unknown): unknown {
  try {
    const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
    const copy: unknown = json === undefined ? null : JSON.parse(json)
    return isTooDeep(copy) ? tooDeep : copy
  } catch (error) {
    // So deep that writing it ran out of stack; or cyclic, or a toJSON that throws. The page gets a text.
    return error instanceof RangeError ? tooDeep : textOf(value)
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
