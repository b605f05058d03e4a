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
  const closers: string[] = []
  let end = 0
  let expectsKey = false
  const close = (complete: string) => complete + closers.toReversed().join('')

  for (let index = 0; index < text.length; ) {
    const char = text.charAt(index)
    if (char === '"') {
      const stop = stringEnd(text, index)
      if (stop === undefined) return close(expectsKey ? text.slice(0, end) : closeString(text))
      if (!expectsKey) end = stop
      index = stop
    } else if (/[-0-9tfn]/.test(char)) {
      const stop = wordEnd(text, index)
      if (stop === text.length) return close(completeWord(text, index) ?? text.slice(0, end))
      end = stop
      index = stop
    } else {
      if (char === '{' || char === '[') closers.push(char === '{' ? '}' : ']')
      if (char === '}' || char === ']') closers.pop()
      if (/[{}[\]]/.test(char)) end = index + 1
      if (char === '{' || char === ',') expectsKey = closers.at(-1) === '}'
      if (char === ':') expectsKey = false
      index += 1
    }
  }
  return close(text.slice(0, end))
}

function stringEnd(text: string, start: number): number | undefined {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? undefined : quote + 1
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0
  while (text.charAt(index - 1 - backslashes) === '\\') backslashes += 1
  return backslashes % 2 === 1
}

// An escape that has not fully arrived (`\`, `\u00`) cannot be kept. An even number of backslashes
// before it means that the last one is itself escaped.
function closeString(text: string): string {
  const partialEscape = /(?<!\\)(?:\\\\)*(\\(?:u[0-9A-Fa-f]{0,3})?)$/.exec(text)?.[1] ?? ''
  return `${text.slice(0, text.length - partialEscape.length)}"`
}

function wordEnd(text: string, start: number): number {
  let index = start
  while (index < text.length && !/[\s,\]}]/.test(text.charAt(index))) index += 1
  return index
}

function completeWord(text: string, start: number): string | undefined {
  const word = text.slice(start)
  const literal = ['true', 'false', 'null'].find(candidate => candidate.startsWith(word))
  const complete = literal ?? /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(word)?.[0]
  return complete === undefined ? undefined : text.slice(0, start) + complete
}
