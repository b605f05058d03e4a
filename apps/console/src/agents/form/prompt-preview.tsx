import { useAgentsWords } from '../agents-words.ts'
import { fillPrompt, type PromptPiece } from './fill-prompt.ts'

interface Props {
  readonly prompt: string
  readonly values: Readonly<Record<string, string>>
}

/** What the model would read now: the template with its variables filled in. */
export function PromptPreview({ prompt, values }: Props) {
  const words = useAgentsWords()
  const pieces = fillPrompt(prompt, values)
  return (
    <section aria-label={words.preview}>
      <h2 className="text-sm font-medium">{words.preview}</h2>
      <p
        data-preview=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
        tabIndex={0}
        className="mt-1 max-h-60 overflow-y-auto rounded-xl bg-panel px-3 py-2 text-sm break-words whitespace-pre-wrap"
      >
        {pieces.length === 0 && <span className="text-muted">{words.emptyPreview}</span>}
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces hold no state, and have no other name.
          <Piece key={index} piece={piece} />
        ))}
      </p>
    </section>
  )
}

function Piece({ piece }: { readonly piece: PromptPiece }) {
  const words = useAgentsWords()
  switch (piece.type) {
    case 'text':
      return piece.text
    case 'value':
      return (
        <span title={`{{${piece.variable}}}`} className="rounded bg-accent-soft px-1 text-accent">
          {piece.text === '' ? <i>{words.emptyValue}</i> : piece.text}
        </span>
      )
    case 'unknown':
      return (
        <span
          title={words.noSuchVariable(piece.variable)}
          className="rounded bg-danger-soft px-1 text-danger"
        >
          {`{{${piece.variable}}}`}
        </span>
      )
  }
}
