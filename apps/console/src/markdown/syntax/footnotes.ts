import type { StateBlock, StateInline } from 'markdown-it'
import { lineText } from './line-text.ts'

const definition = /^\[\^([^\]\s]{1,40})\]:/

/** Reads a footnote: `[^1]: text`. It goes on over the lines after it, until a blank line or another block. */
export function footnote(state: StateBlock, start: number, end: number, silent: boolean): boolean {
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
export function footnoteReference(state: StateInline, silent: boolean): boolean {
  const [all, label] = /^\[\^([^\]\s]{1,40})\]/.exec(state.src.slice(state.pos, state.pos + 44)) ?? []
  if (all === undefined || label === undefined) return false
  if (!silent) state.push('footnote_reference', '', 0).info = label
  state.pos += all.length
  return true
}
