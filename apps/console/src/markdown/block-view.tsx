import type { Token } from 'markdown-it'
import { createElement, memo, type ReactNode, Suspense, useRef } from 'react'
import { lazyOr } from '../controls/lazy-part.ts'
import { CodeBlock } from './code/code-block.tsx'
import { languageOf, parseMarkdown, renderTrees, TableScroller } from './render-tokens.tsx'
import type { MarkdownBlock } from './split-blocks.ts'

type Draw = (source: string, isFirst: boolean) => ReactNode

/**
 * Draws a block of Markdown. It is drawn again only when it has changed; of a block in pieces, only the last piece is.
 */
export const BlockView = memo(function BlockView({ block }: { readonly block: MarkdownBlock }) {
  const [first = ''] = block.pieces
  switch (block.kind) {
    case 'whole':
      // Short code and long code are the same element, so that code keeps its colours when it becomes long.
      return isFence(first) ? <FencedBlock sources={[first]} /> : drawWhole(first)
    case 'text':
      return <div>{pieces(block, drawWhole)}</div>
    case 'list':
      return createElement(...listTag(first), pieces(block, drawItems))
    case 'table':
      return <TableScroller>{pieces(block, drawRows)}</TableScroller>
    case 'code':
      return <FencedBlock sources={sourcesOf(block)} />
  }
})

function pieces(block: MarkdownBlock, draw: Draw): ReactNode {
  return sourcesOf(block).map((source, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end, so an index never changes
    <Piece key={index} source={source} isFirst={index === 0} draw={draw} />
  ))
}

function sourcesOf({ opening, pieces: [first = '', ...others] }: MarkdownBlock): readonly string[] {
  return [first, ...others.map(piece => opening + piece)]
}

interface PieceProps {
  readonly source: string
  readonly isFirst: boolean
  readonly draw: Draw
}

const Piece = memo(function Piece({ source, isFirst, draw }: PieceProps) {
  return draw(source, isFirst)
})

function drawWhole(source: string): ReactNode {
  return renderTrees(parseMarkdown(source))
}

function drawItems(source: string): ReactNode {
  return renderTrees(parseMarkdown(source).flatMap(({ children }) => children))
}

/** Draws some rows as a table of their own. The browser would lay out one big table again with every new row. */
function drawRows(source: string, isFirst: boolean): ReactNode {
  const parts = parseMarkdown(source).flatMap(({ children }) => children)
  return (
    <table dir="auto" className="-mt-px w-full table-fixed">
      {renderTrees(isFirst ? parts : parts.slice(1))}
    </table>
  )
}

function isFence(source: string): boolean {
  return /^ {0,3}(```|~~~)/.test(source)
}

function listTag(
  source: string,
): [tag: 'ol' | 'ul', props: { readonly start?: number; readonly dir: 'auto' }] {
  const [, number] = /^\s*(\d+)/.exec(source) ?? []
  return number === undefined ? ['ul', { dir: 'auto' }] : ['ol', { dir: 'auto', start: Number(number) }]
}

const DiagramBlock = lazyOr(
  () => import('./diagram/diagram-block.tsx').then(file => file.DiagramBlock),
  CodeBlock,
)

interface FencePiece {
  readonly source: string
  readonly fence: Token | undefined
}

/** Draws a block of code, or a diagram. `sources` are its pieces as Markdown, each with a fence of its own. */
function FencedBlock({ sources }: { readonly sources: readonly string[] }) {
  const known = useRef<readonly FencePiece[]>([])
  // Only a piece that has changed is parsed again.
  known.current = sources.map((source, index) => {
    const before = known.current[index]
    return before?.source === source ? before : { source, fence: fenceIn(source) }
  })
  const [first] = known.current
  const language = first?.fence === undefined ? '' : languageOf(first.fence)
  const pieces = known.current.map(({ fence }) => fence?.content ?? '')
  if (language !== 'mermaid' || first?.fence === undefined || sources.length > 1)
    return <CodeBlock language={language} pieces={pieces} />
  const heightPx = diagramHeight(first.fence)
  const code = <CodeBlock language={language} pieces={pieces} heightPx={heightPx} />
  if (!isClosed(first.fence)) return code
  return (
    <Suspense fallback={code}>
      <DiagramBlock language={language} pieces={pieces} heightPx={heightPx} />
    </Suspense>
  )
}

function fenceIn(source: string): Token | undefined {
  const token = parseMarkdown(source)[0]?.token
  return token?.type === 'fence' ? token : undefined
}

function isClosed({ content, map }: Token): boolean {
  const [start = 0, end = 0] = map ?? []
  return end - start === linesIn(content) + 2
}

/** A diagram is as high as its code says, before and after it is drawn. So the text below does not move. */
function diagramHeight({ content }: Token): number {
  return Math.min(420, Math.max(160, 60 + 34 * linesIn(content)))
}

function linesIn(code: string): number {
  return code.split('\n').length - 1
}
