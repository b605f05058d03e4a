import type { ReactNode } from 'react'

/** Something that can be chosen or not. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly text?: string | undefined
  /** A word beside the label. */
  readonly badge?: ReactNode
}

interface Props {
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A list in which any number of things can be chosen. */
export function ChoiceList({ choices, chosen, onChange }: Props) {
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter(each => each !== value) : [...chosen, value])
  return (
    <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-xl border border-line bg-raised">
      {choices.map(({ value, label, text, badge }) => (
        <li key={value}>
          <label className="flex min-h-10 cursor-pointer items-start gap-3 px-3 py-2 hover:bg-panel">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
              className="mt-1 size-4 shrink-0 accent-accent"
            />
            <span className="min-w-0">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <span data-text="" className="font-medium break-all">
                  {label}
                </span>
                {badge}
              </span>
              {text !== undefined && text !== '' && (
                <span data-text="" title={text} className="line-clamp-2 text-sm text-muted">
                  {text}
                </span>
              )}
            </span>
          </label>
        </li>
      ))}
    </ul>
  )
}
