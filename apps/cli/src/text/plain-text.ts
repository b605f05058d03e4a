/**
 * Returns a text without control characters. A model, a tool or another person may have written it, and it must not
 * control the terminal: no escape sequences, no carriage returns, no bells. Works on any piece of a text.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}--[\n\t]]/gv, '')
}

/**
 * Returns a text on one line. Characters that cannot be seen, or that change the direction of the text, are shown by
 * their number. A person who approves a tool call must see everything in it.
 */
export function inOneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u{200b}\u{2060}\u{feff}\u{e0000}-\u{e007f}]/gv, numbered)
}

/** Returns a value as JSON on one line. */
export function jsonLine(value: unknown): string {
  return inOneLine(JSON.stringify(value) ?? '')
}

/** Returns a value as JSON on several lines, complete. */
export function prettyJson(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? '').split('\n').map(keepIndent).join('\n')
}

function keepIndent(line: string): string {
  const [indent = ''] = /^ */.exec(line) ?? []
  return indent + inOneLine(line.slice(indent.length))
}

function numbered(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}
