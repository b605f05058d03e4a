import type { FormulaNode } from 'katex'

/**
 * Removes all style attributes of a formula. The policy of the page forbids them, and the browser would report each one. KaTeX
 * has them only in the MathML for screen readers, where nobody sees them. The visible part sets its styles through the DOM,
 * which is allowed. Changes the tree, and returns it.
 */
export function withoutStyleAttributes(tree: FormulaNode): FormulaNode {
  const nodes = [tree]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.attributes !== undefined) delete node.attributes['style']
    nodes.push(...(node.children ?? []))
  }
  return tree
}
