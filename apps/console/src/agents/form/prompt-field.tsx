import { useRef } from 'react'
import { useAgentsWords } from '../agents-words.ts'
import { Field, inputLook } from './field.tsx'
import { PromptPreview } from './prompt-preview.tsx'

interface Props {
  readonly prompt: string
  /** The variables that there are, with the values that they would have here. */
  readonly values: Readonly<Record<string, string>>
  readonly error: string | undefined
  readonly onChange: (prompt: string) => void
}

/** The system prompt: a template, its variables, and a preview of what the model would read. */
export function PromptField({ prompt, values, error, onChange }: Props) {
  const words = useAgentsWords()
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
