/**
 * How deep a JSON value may be nested. Code that writes, copies or draws a value is recursive, and runs out of stack
 * somewhere between 1,600 and 5,000 levels. This limit is far below that, even with the levels that we add ourselves.
 */
export const maxJsonDepth = 256

/** Returns whether a value that was parsed from JSON is nested deeper than `maxDepth` levels. */
export function isTooDeep(value: unknown, maxDepth = maxJsonDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return maxDepth === 0 || Object.values(value).some(each => isTooDeep(each, maxDepth - 1))
}
