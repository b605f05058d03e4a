/** The value of JSON text that is still arriving, as far as it can be told; `undefined` when it cannot. */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(completeJson(text))
  } catch {
    // Not JSON, or not enough of it.
    return undefined
  }
}

// One pass. `end` is the last place where the text, plus the closers of what is open, was valid JSON.
// Opening a container, closing one and completing a value each move `end`, so the containers open at
// `end` are always those open now.
function completeJson(text: string): string {
  // A string up to its quote or its last whole escape, a number as far as it is one, or a word: of what has
  // not fully arrived (`\u00`, `1.`, `-`) only the part that can be kept.
  const token = /"[^"\\]*(?:\\(?:u[\da-f]{4}|[^u])[^"\\]*)*("?)|-?\d+(?:[.e+-]+\d+)*|([tfn][a-z]*)/iy
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
      default: {
        token.lastIndex = index
        const match = token.exec(text)
        if (match === null) continue
        const whole = match[1] === '' ? `${match[0]}"` : literalFrom(match[2])
        if (whole && !expectsKey) return text.slice(0, index) + whole + closers
        index = token.lastIndex - 1
        if (expectsKey) continue
      }
    }
    end = index + 1
  }
  return text.slice(0, end) + closers
}

function literalFrom(word: string | undefined): string | undefined {
  return word && ['true', 'false', 'null'].find(literal => literal !== word && literal.startsWith(word))
}
