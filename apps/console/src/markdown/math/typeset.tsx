import { __renderToDomTree as buildTree } from 'katex'
import styles from 'katex/dist/katex.min.css?url'
import { type ComponentType, useLayoutEffect, useRef, useState } from 'react'
import { type FormulaProps, FormulaSource } from '../formula-source.tsx'
import { withoutStyleAttributes } from './without-style-attributes.ts'

/** Loads the styles for formulas, which without them would be shown twice. Rejects when they cannot be loaded. */
export async function loadTypeset(): Promise<ComponentType<FormulaProps>> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = styles
  const loaded = new Promise((resolve, reject) => {
    link.onload = resolve
    link.onerror = reject
  })
  document.head.append(link)
  await loaded
  return Typeset
}

/** Draws a formula; one that is wrong as it was written. */
function Typeset({ tex, source, isBlock }: FormulaProps) {
  const holder = useRef<HTMLSpanElement>(null)
  const [isWrong, setIsWrong] = useState(false)
  useLayoutEffect(() => {
    if (holder.current !== null) setIsWrong(!typeset(tex, isBlock, holder.current))
  }, [tex, isBlock])
  if (isWrong) return <FormulaSource tex={tex} source={source} isBlock={isBlock} />
  return <span ref={holder} dir="ltr" />
}

function typeset(tex: string, isBlock: boolean, holder: HTMLElement): boolean {
  try {
    const tree = buildTree(tex, {
      displayMode: isBlock,
      // No links, pictures or attributes from a formula.
      trust: false,
      // A formula may define macros, but they must not grow without end.
      maxExpand: 500,
      // In em: no letter or line may be larger.
      maxSize: 30,
      strict: 'ignore',
      throwOnError: true,
    })
    holder.replaceChildren(withoutStyleAttributes(tree).toNode())
    return true
  } catch {
    // A formula that is wrong, or nested too deeply. Both may happen: a model wrote it.
    return false
  }
}
