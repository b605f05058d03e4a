import type { StateBlock } from 'markdown-it'

/** Returns a line without its indent; `undefined` for a line that is indented so far that it is code. */
export function lineText(state: StateBlock, line: number): string | undefined {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return undefined
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}
