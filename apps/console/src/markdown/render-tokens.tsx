import MarkdownIt, { type Token } from 'markdown-it'
import { createElement, type ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { RemoteImage } from './remote-image.tsx'

// No raw HTML, and React elements instead of HTML text: whatever a model writes is text or one of these tags.
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true })

const tags: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td em strong s code hr br'.split(' '),
)

export function renderMarkdown(source: string): ReactNode {
  return renderTokens(parser.parse(source, {}))
}

function renderTokens(tokens: readonly Token[]): ReactNode[] {
  const nodes: ReactNode[] = []
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index]
    if (token === undefined) break
    const end = token.nesting === 1 ? closingIndex(tokens, index) : index
    nodes.push(renderToken(token, tokens.slice(index + 1, end), index))
    index = end + 1
  }
  return nodes
}

function renderToken(token: Token, inner: readonly Token[], key: number): ReactNode {
  switch (token.type) {
    case 'text':
      return token.content
    case 'inline':
      return renderTokens(token.children ?? [])
    case 'softbreak':
    case 'hardbreak':
      return <br key={key} />
    case 'code_inline':
      return <code key={key}>{token.content}</code>
    case 'fence':
    case 'code_block':
      return <CodeBlock key={key} code={token.content} language={token.info.trim().split(/\s+/)[0] ?? ''} />
    case 'image':
      return (
        <RemoteImage key={key} address={String(token.attrGet('src') ?? '')} description={token.content} />
      )
    case 'link_open':
      return renderLink(String(token.attrGet('href') ?? ''), renderTokens(inner), key)
    case 'paragraph_open':
      // In tight lists the paragraph is there, but not to be seen.
      return token.hidden ? renderTokens(inner) : <p key={key}>{renderTokens(inner)}</p>
    case 'table_open':
      return (
        <div key={key} className="overflow-x-auto">
          <table>{renderTokens(inner)}</table>
        </div>
      )
    default:
      if (!tags.has(token.tag)) return token.content
      return createElement(
        token.tag,
        { key, ...attributesOf(token) },
        ...(token.nesting === 1 ? renderTokens(inner) : []),
      )
  }
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

function closingIndex(tokens: readonly Token[], open: number): number {
  const level = tokens[open]?.level
  const close = tokens.findIndex(
    (token, index) => index > open && token.nesting === -1 && token.level === level,
  )
  return close === -1 ? tokens.length : close
}
