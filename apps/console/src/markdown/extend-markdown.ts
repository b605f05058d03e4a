import type { MarkdownIt, StateBlock, StateCore, StateInline } from 'markdown-it'

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

const closingOf: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]', '\\(': '\\)', $: '$' }

/** A longer formula is text: nobody writes one, and each one costs time. */
const maxFormulaChars = 4_000

/**
 * Reads a formula whose `$$` or `\[` stands on a line of its own. It ends with the closing line, or before a blank line: then
 * it is not closed, and shown as it was written. The first line decides, so the rest of a text cannot change it later.
 */
function mathBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const opening = lineText(state, start)?.trimEnd() ?? ''
  if (opening !== '$$' && opening !== '\\[') return false
  if (silent) return true
  const closing = closingOf[opening]
  let line = start + 1
  while (line < end && !state.isEmpty(line) && lineText(state, line)?.trimEnd() !== closing) line += 1
  const isClosed = line < end && !state.isEmpty(line)
  const token = state.push('math_block', '', 0)
  token.content = isClosed ? state.getLines(start + 1, line, state.blkIndent, false) : ''
  state.line = isClosed ? line + 1 : line
  token.info = state.getLines(start, state.line, state.blkIndent, false)
  token.map = [start, state.line]
  return true
}

/** Reads a formula inside of a text: `$x$`, `\(x\)`, and `$$x$$` or `\[x\]`, which get a line of their own. */
function mathInline(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  const [opening] = /^(?:\$\$?|\\[[(])/.exec(src.slice(pos, pos + 2)) ?? []
  if (opening === undefined) return false
  const start = pos + opening.length
  const closing = closingOf[opening] ?? opening
  // Only as far as a formula may be: otherwise each opening would look through the whole text.
  const length = src.slice(start, start + maxFormulaChars + closing.length).indexOf(closing)
  const end = start + length
  if (length <= 0 || end > state.posMax) return false
  const tex = src.slice(start, end)
  if (opening === '$' && !isFormula(tex, src[pos - 1] ?? '', src[end + 1] ?? '')) return false
  if (!silent) {
    const token = state.push('math_inline', '', 0)
    token.content = tex
    token.markup = opening
    token.info = src.slice(pos, end + opening.length)
  }
  state.pos = end + opening.length
  return true
}

/** Returns whether the text between two dollars is a formula, and not two prices or variables: "$5 and $10", "$A:$B". */
function isFormula(tex: string, before: string, after: string): boolean {
  if (/^\s|[\s\\]$|[\n`]/.test(tex)) return false
  if (/[A-Za-z\d\\]/.test(before) || /[A-Za-z\d]/.test(after)) return false
  // A number with a word after it: "$5 or 10$", "$20万到30$".
  return !/^[\d.,]+(?:\s*\p{Script=Han}|[kKmM]?\s+\p{L}{2})/u.test(tex)
}

const definition = /^\[\^([^\]\s]{1,40})\]:/

/** Reads a footnote: `[^1]: text`. It goes on over the lines after it, until a blank line or another block. */
function footnote(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const first = lineText(state, start)
  const found = first === undefined ? null : definition.exec(first)
  if (found === null) return false
  if (silent) return true
  const others = state.md.block.ruler.getRules('paragraph')
  let line = start + 1
  while (line < end && !state.isEmpty(line) && !others.some(rule => rule(state, line, end, true))) line += 1
  const text = state.getLines(start, line, state.blkIndent, false).trimStart()
  const open = state.push('footnote_open', 'div', 1)
  open.info = found[1] ?? ''
  open.map = [start, line]
  const inline = state.push('inline', '', 0)
  inline.content = text.slice(found[0].length).trim()
  inline.map = [start, line]
  inline.children = []
  state.push('footnote_close', 'div', -1)
  state.line = line
  return true
}

/** Reads a reference to a footnote: `[^1]`. */
function footnoteReference(state: StateInline, silent: boolean): boolean {
  const [all, label] = /^\[\^([^\]\s]{1,40})\]/.exec(state.src.slice(state.pos, state.pos + 44)) ?? []
  if (all === undefined || label === undefined) return false
  if (!silent) state.push('footnote_reference', '', 0).info = label
  state.pos += all.length
  return true
}

// Letters and punctuation of Chinese, Japanese and Korean.
const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff01-\uffee]/u

/**
 * Returns a parser state in which `**` beside a Chinese, Japanese or Korean character may begin and end emphasis. By CommonMark,
 * `**说明：**文字` stays as it is written: it expects a space where these languages have none.
 */
function friendlyToCjk(State: typeof StateInline): typeof StateInline {
  return class extends State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const scanned = super.scanDelims(start, canSplitWord)
      const before = this.src[start - 1] ?? ' '
      const after = this.src[start + scanned.length] ?? ' '
      if (!canSplitWord || !cjk.test(before + after)) return scanned
      return {
        ...scanned,
        can_open: scanned.can_open || /\S/.test(after),
        can_close: scanned.can_close || /\S/.test(before),
      }
    }
  }
}

/** Finds list items that begin with `[ ]` or `[x]`. Puts a `task` token in the place of the brackets. */
function markTasks({ tokens, Token }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const item = tokens[index - 2]
    const [text] = token.children ?? []
    if (item?.type !== 'list_item_open' || token.type !== 'inline' || text?.type !== 'text') continue
    const [brackets, mark] = /^\[([ xX])\]\s/.exec(text.content) ?? []
    if (brackets === undefined) continue
    const task = new Token('task', '', 0)
    task.info = mark === ' ' ? '' : 'done'
    text.content = text.content.slice(brackets.length)
    token.children?.unshift(task)
    item.attrSet('class', 'task')
  }
}

/** Returns a line without its indent; `undefined` for a line of indented code. */
function lineText(state: StateBlock, line: number): string | undefined {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return undefined
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}
