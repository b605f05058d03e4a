import type { CallOptions } from './thread-messages.ts'

/**
 * Returns the options of a call in a form that another thread can get. Threads cannot send each other URLs: the address of a
 * file would arrive as an empty object. Each one becomes a `Map`. Options have no other maps, so that `receivedOptions` can
 * tell them.
 */
export function sentOptions(options: CallOptions): CallOptions {
  return replaceInside(options, value => (value instanceof URL ? new Map([['url', value.href]]) : undefined))
}

/** Returns the options that were sent. */
export function receivedOptions(options: CallOptions): CallOptions {
  return replaceInside(options, value => (value instanceof Map ? new URL(value.get('url')) : undefined))
}

/** Returns a copy in which the objects have been replaced for which `replacement` returns another one. */
function replaceInside<Value>(value: Value, replacement: (value: object) => object | undefined): Value
function replaceInside(value: unknown, replacement: (value: object) => object | undefined): unknown {
  // Bytes are sent as they are.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const replaced = replacement(value)
  if (replaced !== undefined) return replaced
  if (Array.isArray(value)) return value.map(item => replaceInside(item, replacement))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, replaceInside(item, replacement)]),
  )
}
