import { Code, Workflow } from 'lucide-react'
import { useState } from 'react'
import { PictureButton } from '../../pictures/picture-button.tsx'
import { useSettings } from '../../settings/settings.tsx'
import { CodeBlock } from '../code-block.tsx'
import { CodeFigure } from '../code-figure.tsx'
import { diagramWords } from './diagram-words.ts'
import { useDrawing } from './use-drawing.ts'
import { useIsDark } from './use-is-dark.ts'

interface Props {
  readonly language: string
  /** The source of the diagram. */
  readonly pieces: readonly string[]
  readonly heightPx?: number
}

/** The note below a diagram that is wrong: a line of small text, and the space above it. */
const noteHeightPx = 24

/** Draws a diagram. Its source is shown until it is drawn, when it is wrong, and when the person asks for it. */
export function DiagramBlock({ language, pieces, heightPx = 0 }: Props) {
  const words = diagramWords[useSettings().language]
  const [showsSource, setShowsSource] = useState(false)
  const source = pieces.join('')
  const drawing = useDrawing(source, useIsDark())
  if (drawing.status === 'waiting')
    return <CodeBlock language={language} pieces={pieces} heightPx={heightPx} />
  if (drawing.status === 'failed') {
    return (
      <div className="space-y-1">
        <CodeBlock language={language} pieces={pieces} heightPx={heightPx - noteHeightPx} />
        <p className="text-sm text-muted">{words.wrong}</p>
      </div>
    )
  }
  const Icon = showsSource ? Workflow : Code
  const other = (
    <button type="button" onClick={() => setShowsSource(!showsSource)} className="figure-button">
      <Icon size={13} />
      {showsSource ? words.diagram : words.source}
    </button>
  )
  return (
    <CodeFigure language={language} read={() => source} actions={other}>
      <div className="flex items-center justify-center overflow-auto p-3" style={{ height: heightPx }}>
        {showsSource ? (
          <pre className="size-full text-[13px] leading-relaxed">
            <code>{source}</code>
          </pre>
        ) : (
          <PictureButton
            address={drawing.address}
            label={words.diagram}
            className="rounded-lg object-contain"
            maxHeightPx={heightPx - 24}
          />
        )}
      </div>
    </CodeFigure>
  )
}
