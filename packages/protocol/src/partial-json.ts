import { isTooDeep } from './json-depth.ts'

/** The value of JSON text that is still arriving, as far as it can be told; `undefined` when it cannot. */
export function parsePartialJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(completeJson(text))
    return isTooDeep(value) ? undefined : value
  } catch {
    // Not JSON, or not enough of it.
    return undefined
  }
}

// One pass. `end` is the last place where the text, plus the closers of what is open, was valid JSON.
// Opening a container, closing one and completing a value each move `end`, so the containers open at
// `end` are always those open now.
function completeJson(text: string): string {
  // A string up to its quote or the end of the text, a number as far as it is one (`1.` is 1), or a word.
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
  // Up to the last whole escape: one that has not fully arrived (`\`, `\u00`) cannot be kept.
  const string = /^"[^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*/i.exec(text)
  if (string) return `${string[0]}"`
  return ['true', 'false', 'null'].find(literal => literal.startsWith(text)) ?? text
}
