import { isRecord } from './fields.ts'

/**
 * Returns the value of a JSON text, or `undefined` when the text is not JSON. JSON cannot express `undefined`, so the
 * two cannot be confused. For text that others wrote: a mistake in it is expected, and the caller reports it.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the value of a JSON text that is still arriving: strings, arrays and objects that are open are closed.
 * Returns `undefined` when there is no value yet, when the text is not JSON, or when it is nested too deep.
 */
export function parsePartialJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(completeJson(text))
    return isTooDeep(value) ? undefined : value
  } catch {
    // Not JSON, or not enough of it.
    return undefined
  }
}

// One pass over the text. `closers` are the brackets that close what is open now. `end` is the last position where the
// text up to there, followed by `closers`, is valid JSON. Opening a container, closing one and completing a value each
// move `end`, so `closers` always fits to `end`.
function completeJson(text: string): string {
  // A string up to its closing quote or to the end of the text, the valid beginning of a number (`1.` is 1), or a word.
  const value = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\d+(?:[.e+-]+\d+)*|[tfn][a-z]*/iy
  let closers = ''
  let end = 0
  let expectsKey = false
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case ':':
        expectsKey = false
        continue
      case ',':
        expectsKey = closers.startsWith('}')
        continue
      case '{':
        expectsKey = true
        closers = `}${closers}`
        break
      case '[':
        closers = `]${closers}`
        break
      case '}':
      case ']':
        closers = closers.slice(1)
        break
      default:
        value.lastIndex = index
        if (!value.test(text)) continue
        if (value.lastIndex === text.length && !expectsKey) {
          return text.slice(0, index) + completeValue(text.slice(index)) + closers
        }
        index = value.lastIndex - 1
        if (expectsKey) continue
    }
    end = index + 1
  }
  return text.slice(0, end) + closers
}

function completeValue(text: string): string {
  // The string up to its last complete escape. An escape that has not fully arrived (`\`, `\u00`) is dropped.
  const string = /^"[^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*/i.exec(text)
  if (string) return `${string[0]}"`
  return ['true', 'false', 'null'].find(literal => literal.startsWith(text)) ?? text
}

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

/** Returns whether two values have the same JSON. The order of fields does not count, and `undefined` is no field. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, index) => isSameValue(value, other[index]))
    )
  if (!isRecord(one) || !isRecord(other)) return false
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...fields].every(field => isSameValue(one[field], other[field]))
}
