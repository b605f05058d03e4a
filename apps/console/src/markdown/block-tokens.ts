import MarkdownIt, { type Token } from 'markdown-it'
import { extendMarkdown } from './syntax/extend-markdown.ts'

// This parser only finds where blocks begin. Their content is parsed when they are drawn.
const parser = extendMarkdown(new MarkdownIt({ html: false }))
parser.core.ruler.enableOnly(['normalize', 'block'])

/** Returns the block tokens of a text. Their `map` says on which lines they begin and end. */
export function blockTokens(source: string): readonly Token[] {
  return parser.parse(source, {})
}

/** Returns the position at which each line begins, with lines as the parser counts them. */
export function lineStarts(source: string): readonly number[] {
  return [0, ...Array.from(source.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)]
}
