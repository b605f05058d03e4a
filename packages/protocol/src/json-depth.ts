/**
 * How deep a JSON value may be nested. Whatever writes, copies or draws a value goes down level by level, and runs out
 * of stack somewhere between 1,600 and 5,000 levels: we stay far below that, also with the levels that we add.
 */
export const maxJsonDepth = 256

/** Whether a value that was parsed from JSON is nested deeper than is allowed. */
export function isTooDeep(value: unknown, maxDepth = maxJsonDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return maxDepth === 0 || Object.values(value).some(each => isTooDeep(each, maxDepth - 1))
}
