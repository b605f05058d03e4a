import type { StateBlock, StateInline } from 'markdown-it'
import { lineText } from './line-text.ts'

const closingOf: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]', '\\(': '\\)', $: '$' }

/** A longer formula is text: nobody writes one, and each one costs time. */
const maxFormulaChars = 4_000

/**
 * Reads a formula whose `$$` or `\[` stands on a line of its own. It ends with the closing line, or before a blank line: then
 * it is not closed, and shown as it was written. The first line decides, so the rest of a text cannot change it later.
 */
export function mathBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
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
export function mathInline(state: StateInline, silent: boolean): boolean {
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
