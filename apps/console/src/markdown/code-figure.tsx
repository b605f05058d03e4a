import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'
import { useCopy } from '../use-copy.ts'

interface Props {
  /** The language of the code; empty when it has none. */
  readonly language: string
  /** Returns all of the code, to copy it. */
  readonly read: () => string
  /** Other buttons, beside the one to copy. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export const figureButton = 'flex items-center gap-1 rounded px-1.5 py-0.5 hover:text-ink pointer-coarse:py-2'

/** The frame around code, and around what is drawn in place of code: a language and buttons on top. */
export function CodeFigure({ language, read, actions, children }: Props) {
  const words = useWords()
  const { canCopy, isCopied, copy } = useCopy()
  return (
    <figure dir="ltr" className="overflow-hidden rounded-xl border border-line bg-panel">
      <figcaption className="flex items-center gap-1 border-b border-line px-3 py-1 text-xs text-muted">
        <span className="mr-auto">{language || 'text'}</span>
        {actions}
        {canCopy && (
          <button type="button" onClick={() => copy(read())} className={figureButton}>
            {isCopied ? <Check size={13} /> : <Copy size={13} />}
            {isCopied ? words.copied : words.copy}
          </button>
        )}
      </figcaption>
      {children}
    </figure>
  )
}
