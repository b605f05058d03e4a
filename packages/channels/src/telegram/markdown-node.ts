import type { Token } from 'markdown-it'

/** A token together with what stands between it and the one that closes it. */
export interface MarkdownNode {
  readonly token: Token
  readonly children: readonly MarkdownNode[]
}

/** The parser's flat list as a tree. */
export function childrenOf(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = []
  const open = [root]
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop()
      continue
    }
    const children: MarkdownNode[] = []
    open.at(-1)?.push({ token, children })
    if (token.nesting === 1) open.push(children)
  }
  return root
}
