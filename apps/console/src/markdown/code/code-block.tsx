import { Check, Copy } from 'lucide-react'
import { type ReactNode, Suspense, use } from 'react'
import { useCopy } from '../../browser/use-copy.ts'
import { lazyOr } from '../../controls/lazy-part.ts'
import { NearContext } from '../../off-screen/near-context.ts'
import { useWords } from '../../settings/settings.tsx'
import { type CodeProps, PlainCode } from './plain-code.tsx'

type ColouredProps = CodeProps & { readonly language: string }

const ColouredCode = lazyOr<ColouredProps>(
  () => import('./coloured-code.tsx').then(file => file.ColouredCode),
  PlainCode,
)

interface Props extends ColouredProps {
  /** A fixed height. Without it, the block is as high as its code. */
  readonly heightPx?: number
}

/**
 * Draws code: without colours at first, and with them as soon as it is near the screen and the parser of its language is
 * loaded. The colours move nothing.
 */
export function CodeBlock({ language, pieces, heightPx }: Props) {
  const hasColours = use(NearContext) && language !== ''
  const plain = <PlainCode pieces={pieces} />
  return (
    <CodeFigure language={language} read={() => pieces.join('')}>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard, too
        tabIndex={0}
        className="code-text"
        style={{ height: heightPx }}
      >
        <code>
          {hasColours ? (
            <Suspense fallback={plain}>
              <ColouredCode language={language} pieces={pieces} />
            </Suspense>
          ) : (
            plain
          )}
        </code>
      </pre>
    </CodeFigure>
  )
}

interface FigureProps {
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
export function CodeFigure({ language, read, actions, children }: FigureProps) {
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
