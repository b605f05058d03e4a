import { isTooDeep } from './json-depth.ts'

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
