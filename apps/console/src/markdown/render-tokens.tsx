import MarkdownIt, { type Token } from 'markdown-it'
import { createElement, type ReactNode } from 'react'
import { CodeBlock } from './code/code-block.tsx'
import { CitedText, Footnote, FootnoteReference, Formula, Heading, RemoteImage } from './elements.tsx'
import { extendMarkdown } from './extend-markdown.ts'

// No raw HTML. The tokens become React elements, so whatever a model writes is text or one of the tags below.
const parser = extendMarkdown(new MarkdownIt({ html: false, linkify: true, breaks: true }))

const tags: ReadonlySet<string> = new Set(
  'p ul ol li blockquote table thead tbody tr th td em strong s code hr br'.split(' '),
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
      return token.content.includes('[') ? <CitedText key={key} text={token.content} /> : token.content
    case 'inline':
      return renderTrees(treesOf(token.children ?? []))
    case 'softbreak':
    case 'hardbreak':
      return <br key={key} />
    case 'code_inline':
      return <code key={key}>{token.content}</code>
    case 'fence':
    case 'code_block':
      return <CodeBlock key={key} language={languageOf(token)} pieces={[token.content]} />
    case 'image':
      return (
        <RemoteImage key={key} address={String(token.attrGet('src') ?? '')} description={token.content} />
      )
    case 'link_open':
      return renderLink(String(token.attrGet('href') ?? ''), renderTrees(children), key)
    case 'paragraph_open':
      // In a tight list the parser marks paragraphs as hidden: their content is drawn without a paragraph.
      return token.hidden ? (
        renderTrees(children)
      ) : (
        <p key={key} dir="auto">
          {renderTrees(children)}
        </p>
      )
    case 'table_open':
      return (
        <TableScroller key={key}>
          <table dir="auto">{renderTrees(children)}</table>
        </TableScroller>
      )
    case 'math_inline':
    case 'math_block': {
      const { content, info, markup } = token
      const isBlock = markup !== '$' && markup !== '\\('
      return <Formula key={key} tex={content} source={info} isBlock={isBlock} />
    }
    case 'footnote_reference':
      return <FootnoteReference key={key} label={token.info} />
    case 'footnote_open':
      return (
        <Footnote key={key} label={token.info}>
          {renderTrees(children)}
        </Footnote>
      )
    case 'heading_open':
      return (
        <Heading key={key} level={Number(token.tag.slice(1))}>
          {renderTrees(children)}
        </Heading>
      )
    case 'task':
      return <TaskBox key={key} isDone={token.info === 'done'} />
    default:
      if (!tags.has(token.tag)) return token.content
      return createElement(token.tag, { key, ...attributesOf(token) }, ...renderTrees(children))
  }
}

function TaskBox({ isDone }: { readonly isDone: boolean }) {
  return <input type="checkbox" aria-label={isDone ? '✓' : '☐'} disabled checked={isDone} readOnly />
}

/** A table that is too wide is scrolled by itself, with the keyboard too. */
export function TableScroller({ children }: { readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
    <div tabIndex={0} className="overflow-x-auto">
      {children}
    </div>
  )
}

/** Returns the language of code; empty until the first line of code, because before that the name may still grow. */
export function languageOf(token: Token): string {
  if (token.content === '') return ''
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
  // These find their direction by their first letter, so that Arabic and Hebrew run from right to left.
  const direction = /^(ul|ol|blockquote)$/.test(token.tag) ? { dir: 'auto' } : {}
  const start = token.attrGet('start')
  if (token.tag === 'ol' && start !== null) return { ...direction, start: Number(start) }
  if (token.attrGet('class') === 'task') return { className: 'task' }
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  return align === undefined ? direction : { style: { textAlign: align } }
}
