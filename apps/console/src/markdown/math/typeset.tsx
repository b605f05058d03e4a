import { __renderToDomTree as buildTree, type FormulaNode } from 'katex'
import styles from 'katex/dist/katex.min.css?url'
import { type ComponentType, type ReactNode, useLayoutEffect, useRef, useState } from 'react'

/** A formula, and what to draw when it is wrong. */
export interface TypesetProps {
  /** The formula in TeX. */
  readonly tex: string
  /** Whether it has a line of its own. */
  readonly isBlock: boolean
  /** Drawn in place of a formula that is wrong. */
  readonly children: ReactNode
}

/** Loads the styles for formulas, which without them would be shown twice. Rejects when they cannot be loaded. */
export async function loadTypeset(): Promise<ComponentType<TypesetProps>> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = styles
  const loaded = new Promise((resolve, reject) => {
    link.onload = resolve
    link.onerror = reject
  })
  document.head.append(link)
  await loaded
  return Typeset
}

function Typeset({ tex, isBlock, children }: TypesetProps) {
  const holder = useRef<HTMLSpanElement>(null)
  const [isWrong, setIsWrong] = useState(false)
  useLayoutEffect(() => {
    if (holder.current !== null) setIsWrong(!typeset(tex, isBlock, holder.current))
  }, [tex, isBlock])
  if (isWrong) return children
  return <span ref={holder} dir="ltr" />
}

function typeset(tex: string, isBlock: boolean, holder: HTMLElement): boolean {
  try {
    const tree = buildTree(tex, {
      displayMode: isBlock,
      // No links, pictures or attributes from a formula.
      trust: false,
      // A formula may define macros, but they must not grow without end.
      maxExpand: 500,
      // In em: no letter or line may be larger.
      maxSize: 30,
      strict: 'ignore',
      throwOnError: true,
    })
    holder.replaceChildren(withoutStyleAttributes(tree).toNode())
    return true
  } catch {
    // A formula that is wrong, or nested too deeply. Both may happen: a model wrote it.
    return false
  }
}

/**
 * Removes all style attributes of a formula. The policy of the page forbids them, and the browser would report each one. KaTeX
 * has them only in the MathML for screen readers, where nobody sees them. The visible part sets its styles through the DOM,
 * which is allowed. Changes the tree, and returns it.
 */
function withoutStyleAttributes(tree: FormulaNode): FormulaNode {
  const nodes = [tree]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.attributes !== undefined) delete node.attributes['style']
    nodes.push(...(node.children ?? []))
  }
  return tree
}
