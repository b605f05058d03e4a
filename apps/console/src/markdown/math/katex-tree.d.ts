import type { KatexOptions } from 'katex'

// What KaTeX exports for output of one's own, and its types leave out.
declare module 'katex' {
  /** A node of a formula that is typeset: an element, or text. */
  interface FormulaNode {
    readonly attributes?: Record<string, string>
    readonly children?: readonly FormulaNode[]
    toNode(): Node
  }

  /** Typesets a formula. Throws a `ParseError` when it is wrong and `throwOnError` is set. */
  export function __renderToDomTree(tex: string, options: KatexOptions): FormulaNode
}
