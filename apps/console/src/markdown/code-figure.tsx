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

/**
 * The frame around code, and around what is drawn in place of code: a language and buttons on top. Far from the screen it
 * has no buttons, but the same height.
 */
export function CodeFigure({ language, read, actions, children }: Props) {
  const words = useWords()
  const { canCopy, isCopied, copy } = useCopy()
  const isNear = use(NearContext)
  const Icon = isCopied ? Check : Copy
  return (
    <figure dir="ltr" className="code-figure">
      <figcaption className="code-caption">
        <span>{language || 'text'}</span>
        {actions}
        {isNear && canCopy && (
          <button type="button" onClick={() => copy(read())} className="figure-button">
            <Icon size={13} />
            {isCopied ? words.copied : words.copy}
          </button>
        )}
      </figcaption>
      {children}
    </figure>
  )
}
