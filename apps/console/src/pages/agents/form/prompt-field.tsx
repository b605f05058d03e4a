import { useRef } from 'react'
import { useOtherPagesWords } from '../../../words/other-pages/use-other-pages-words.ts'
import { Field, inputLook } from './field.tsx'
import { fillPrompt, type PromptPiece } from './prompt.ts'

interface Props {
  readonly prompt: string
  /** The variables that there are, with the values that they would have here. */
  readonly values: Readonly<Record<string, string>>
  readonly error: string | undefined
  readonly onChange: (prompt: string) => void
}

/** The system prompt: a template, its variables, and a preview of what the model would read. */
export function PromptField({ prompt, values, error, onChange }: Props) {
  const words = useOtherPagesWords().agents
  const field = useRef<HTMLTextAreaElement>(null)
  const insert = (variable: string) => {
    const { selectionStart = prompt.length, selectionEnd = prompt.length } = field.current ?? {}
    onChange(`${prompt.slice(0, selectionStart)}{{${variable}}}${prompt.slice(selectionEnd)}`)
    field.current?.focus()
  }
  const meanings: Readonly<Record<string, string>> = words.variableMeanings
  return (
    <div className="space-y-3">
      <Field label={words.prompt} hint={words.promptHint} error={error}>
        {ids => (
          <textarea
            {...ids}
            ref={field}
            value={prompt}
            rows={8}
            maxLength={20_000}
            onChange={event => onChange(event.target.value)}
            className={`${inputLook} block resize-y leading-relaxed`}
          />
        )}
      </Field>
      <div>
        <h2 className="text-sm font-medium">{words.variables}</h2>
        <ul className="mt-1 grid gap-x-4 sm:grid-cols-2">
          {Object.keys(values).map(variable => (
            <li key={variable} className="min-w-0">
              <button
                type="button"
                aria-label={`${words.insert(variable)} ${meanings[variable] ?? ''}`}
                onClick={() => insert(variable)}
                className="min-h-10 w-full rounded-lg py-1 text-left text-sm text-muted hover:text-ink sm:min-h-0"
              >
                {/* The braces are drawn by styles, so that the label has the same words as the button. */}
                <code className="rounded bg-panel px-1.5 py-0.5 text-ink before:content-['{{'] after:content-['}}']">
                  {variable}
                </code>{' '}
                {meanings[variable]}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <PromptPreview prompt={prompt} values={values} />
    </div>
  )
}

interface PreviewProps {
  readonly prompt: string
  readonly values: Readonly<Record<string, string>>
}

/** What the model would read now: the template with its variables filled in. */
function PromptPreview({ prompt, values }: PreviewProps) {
  const words = useOtherPagesWords().agents
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
  const words = useOtherPagesWords().agents
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
