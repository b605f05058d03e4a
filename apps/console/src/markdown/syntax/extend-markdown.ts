import type { MarkdownIt } from 'markdown-it'
import { friendlyToCjk } from './emphasis.ts'
import { footnote, footnoteReference } from './footnotes.ts'
import { mathBlock, mathInline } from './math.ts'
import { markTasks } from './tasks.ts'

/** Adds what CommonMark does not have: formulas, footnotes, task lists, and emphasis beside Chinese characters. */
export function extendMarkdown(parser: MarkdownIt): MarkdownIt {
  const alt = ['paragraph', 'reference', 'blockquote', 'list']
  parser.block.ruler.before('fence', 'math_block', mathBlock, { alt })
  // Before link references: `[^1]: https://…` would be taken for one.
  parser.block.ruler.before('reference', 'footnote', footnote, { alt })
  // Before escapes: `\(` would be taken for one.
  parser.inline.ruler.before('escape', 'math_inline', mathInline)
  parser.inline.ruler.before('link', 'footnote_reference', footnoteReference)
  parser.inline.State = friendlyToCjk(parser.inline.State)
  parser.core.ruler.after('inline', 'tasks', markTasks)
  return parser
}
