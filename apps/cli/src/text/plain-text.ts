/**
 * Text for a terminal. What a model, a tool or another person wrote must not steer the screen: no escape sequences,
 * no carriage returns, no bells. It works on any piece of a text, wherever it was cut.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}--[\n\t]]/gv, '')
}

/**
 * A text in one line. What cannot be seen, or turns the direction of what follows, is shown as its number: whoever
 * approves a tool call must see what it says.
 */
export function inOneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\t/g, ' ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u{200b}\u{2060}\u{feff}\u{e0000}-\u{e007f}]/gv, numbered)
}

/** A value as JSON in one line. */
export function jsonLine(value: unknown): string {
  return inOneLine(JSON.stringify(value) ?? '')
}

/** A value as JSON in as many lines as it needs, complete. */
export function jsonLines(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? '').split('\n').map(keepIndent).join('\n')
}

function keepIndent(line: string): string {
  const [indent = ''] = /^ */.exec(line) ?? []
  return indent + inOneLine(line.slice(indent.length))
}

function numbered(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}
