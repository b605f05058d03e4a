import { Suspense } from 'react'
import { lazyOr } from '../lazy-or.ts'
import { type FormulaProps, FormulaSource } from './formula-source.tsx'

const Typeset = lazyOr<FormulaProps>(
  () => import('./math/typeset.tsx').then(file => file.loadTypeset()),
  FormulaSource,
)

/** Draws a formula. A block has its height from the beginning, so the text below does not move when it is typeset. */
export function Formula({ tex, source, isBlock }: FormulaProps) {
  const written = <FormulaSource tex={tex} source={source} isBlock={isBlock} />
  const formula =
    tex.trim() === '' ? (
      written
    ) : (
      // On one line, because a formula that is typeset is rarely higher.
      <Suspense fallback={<code className="truncate">{tex}</code>}>
        <Typeset key={tex} tex={tex} source={source} isBlock={isBlock} />
      </Suspense>
    )
  if (!isBlock) return formula
  return (
    <span className="formula" style={{ minHeight: `${1.5 + 1.7 * rowsIn(tex)}em` }}>
      {formula}
    </span>
  )
}

function rowsIn(tex: string): number {
  return tex.split('\\\\').length
}
