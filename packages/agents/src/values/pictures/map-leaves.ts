type Change = (leaf: unknown) => unknown

/** Deeper values are left as they are. So deep there are no pictures, and recursion needs a limit. */
const maxDepth = 50

/**
 * Returns a value with its leaves changed: the texts, numbers and bytes in lists and plain objects. A list or object
 * without a changed leaf is returned as it is, not as a copy. A changed leaf `screenshot_base64` is renamed to
 * `screenshot`.
 */
export function mapLeaves(value: unknown, change: Change, depth = 0): unknown {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) {
    const mapped = value.map(each => mapLeaves(each, change, depth + 1))
    return mapped.some((each, index) => each !== value[index]) ? mapped : value
  }
  if (!isPlainObject(value)) return change(value)
  const entries = Object.entries(value)
  const mapped = entries.map(([key, each]) => [key, mapLeaves(each, change, depth + 1)] as const)
  if (mapped.every(([, each], index) => each === entries[index]?.[1])) return value
  return Object.fromEntries(
    mapped.map(([key, each]) =>
      key === base64Key && each !== value[key] ? ['screenshot', each] : [key, each],
    ),
  )
}

const base64Key = 'screenshot_base64'

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
