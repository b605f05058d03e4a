import MarkdownIt, { type Token } from 'markdown-it'
import { createElement, type ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { RemoteImage } from './remote-image.tsx'

// No raw HTML. The tokens become React elements, so whatever a model writes is text or one of the tags below.
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true })

const tags: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td em strong s code hr br'.split(' '),
)

/** A token with the tokens inside of it. */
export interface TokenTree {
  readonly token: Token
  readonly children: readonly TokenTree[]
}

export function parseMarkdown(source: string): readonly TokenTree[] {
  return treesOf(parser.parse(source, {}))
}

export function renderTrees(trees: readonly TokenTree[]): ReactNode[] {
  return trees.map(renderTree)
}

function treesOf(tokens: readonly Token[]): readonly TokenTree[] {
  const trees: TokenTree[] = []
  const open = [trees]
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop()
      continue
    }
    const children: TokenTree[] = []
    open.at(-1)?.push({ token, children })
    if (token.nesting === 1) open.push(children)
  }
  return trees
}

function renderTree({ token, children }: TokenTree, key: number): ReactNode {
  switch (token.type) {
    case 'text':
      return token.content
    case 'inline':
      return renderTrees(treesOf(token.children ?? []))
    case 'softbreak':
    case 'hardbreak':
      return <br key={key} />
    case 'code_inline':
      return <code key={key}>{token.content}</code>
    case 'fence':
    case 'code_block':
      return (
        <CodeBlock key={key} language={languageOf(token)} read={() => token.content}>
          {token.content.replace(/\n$/, '')}
        </CodeBlock>
      )
    case 'image':
      return (
        <RemoteImage key={key} address={String(token.attrGet('src') ?? '')} description={token.content} />
      )
    case 'link_open':
      return renderLink(String(token.attrGet('href') ?? ''), renderTrees(children), key)
    case 'paragraph_open':
      // In a tight list the parser marks paragraphs as hidden: their content is drawn without a paragraph.
      return token.hidden ? renderTrees(children) : <p key={key}>{renderTrees(children)}</p>
    case 'table_open':
      return (
        <div key={key} className="overflow-x-auto">
          <table>{renderTrees(children)}</table>
        </div>
      )
    default:
      if (!tags.has(token.tag)) return token.content
      return createElement(token.tag, { key, ...attributesOf(token) }, ...renderTrees(children))
  }
}

export function languageOf(token: Token): string {
  return token.info.trim().split(/\s+/)[0] ?? ''
}

function renderLink(href: string, children: ReactNode, key: number): ReactNode {
  if (!/^(https?:|mailto:)/i.test(href)) return children
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

function attributesOf(token: Token): Record<string, unknown> {
  const start = token.attrGet('start')
  if (token.tag === 'ol' && start !== null) return { start: Number(start) }
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  return align === undefined ? {} : { style: { textAlign: align } }
}
