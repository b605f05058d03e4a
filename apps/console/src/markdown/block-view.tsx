import { createElement, memo, type ReactNode } from 'react'
import type { Block } from './block.ts'
import { FencedBlock } from './fenced-block.tsx'
import { parseMarkdown, renderTrees, TableScroller } from './render-tokens.tsx'

type Draw = (source: string, isFirst: boolean) => ReactNode

/**
 * Draws a block of Markdown. It is drawn again only when it has changed; of a block in pieces, only the last piece is.
 */
export const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
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

function pieces(block: Block, draw: Draw): ReactNode {
  return sourcesOf(block).map((source, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only added at the end, so an index never changes
    <Piece key={index} source={source} isFirst={index === 0} draw={draw} />
  ))
}

function sourcesOf({ opening, pieces: [first = '', ...others] }: Block): readonly string[] {
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
