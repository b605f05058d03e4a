import type { Token } from 'markdown-it'

/** A token of the parser, with the tokens between it and its closing token. */
export interface MarkdownNode {
  readonly token: Token
  readonly children: readonly MarkdownNode[]
}

/** Turns the parser's flat list of tokens into a tree. */
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
