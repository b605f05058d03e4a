import type { Token } from 'markdown-it'
import { Suspense, useRef } from 'react'
import { lazyOr } from '../lazy-or.ts'
import { CodeBlock } from './code-block.tsx'
import { languageOf, parseMarkdown } from './render-tokens.tsx'

const DiagramBlock = lazyOr(
  () => import('./diagram/diagram-block.tsx').then(file => file.DiagramBlock),
  CodeBlock,
)

interface Piece {
  readonly source: string
  readonly fence: Token | undefined
}

/** Draws a block of code, or a diagram. `sources` are its pieces as Markdown, each with a fence of its own. */
export function FencedBlock({ sources }: { readonly sources: readonly string[] }) {
  const known = useRef<readonly Piece[]>([])
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
