import { Suspense, use } from 'react'
import { lazyOr } from '../lazy-or.ts'
import { NearContext } from '../off-screen/near-context.ts'
import { CodeFigure } from './code-figure.tsx'
import { type CodeProps, PlainCode } from './plain-code.tsx'

type ColouredProps = CodeProps & { readonly language: string }

const ColouredCode = lazyOr<ColouredProps>(
  () => import('./code/coloured-code.tsx').then(file => file.ColouredCode),
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
