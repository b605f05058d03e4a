import MarkdownIt, { type Token } from 'markdown-it'

// Where blocks begin is all that is asked here; what stands in them is read when they are drawn.
const parser = new MarkdownIt({ html: false })
parser.core.ruler.enableOnly(['normalize', 'block'])

/** The blocks of a text, and the lines on which they begin. */
export function blockTokens(source: string): readonly Token[] {
  return parser.parse(source, {})
}

/** Where each line begins, as the parser counts them. */
export function lineStarts(source: string): readonly number[] {
  return [0, ...Array.from(source.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)]
}
