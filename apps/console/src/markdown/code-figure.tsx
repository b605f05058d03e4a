import { Check, Copy } from 'lucide-react'
import { type ReactNode, use } from 'react'
import { NearContext } from '../off-screen/near-context.ts'
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

/**
 * The frame around code, and around what is drawn in place of code: a language and buttons on top. Far from the screen it
 * has no buttons, but the same height.
 */
export function CodeFigure({ language, read, actions, children }: Props) {
  const isNear = use(NearContext)
  return (
    <figure dir="ltr" className="overflow-hidden rounded-xl border border-line bg-panel">
      <figcaption className="code-caption flex items-center gap-1 border-b border-line px-3 py-1 text-xs text-muted">
        <span className="mr-auto">{language || 'text'}</span>
        {actions}
        {isNear && <CopyCode read={read} />}
      </figcaption>
      {children}
    </figure>
  )
}

function CopyCode({ read }: Pick<Props, 'read'>) {
  const words = useWords()
  const { canCopy, isCopied, copy } = useCopy()
  if (!canCopy) return null
  return (
    <button type="button" onClick={() => copy(read())} className={figureButton}>
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
      {isCopied ? words.copied : words.copy}
    </button>
  )
}
