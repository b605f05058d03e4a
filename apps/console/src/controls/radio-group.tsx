import type { LucideIcon } from 'lucide-react'

interface Option<Value> {
  readonly value: Value
  readonly label: string
  readonly icon?: LucideIcon
}

interface Props<Value> {
  /** What is chosen, for people who do not see the page. */
  readonly label: string
  readonly options: readonly Option<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Chooses one of a few values that are all visible. The arrow keys move between them, as between all radio buttons. */
export function RadioGroup<Value extends string | number>({ label, options, value, onChange }: Props<Value>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex rounded-xl border border-line bg-panel p-1">
      {options.map(({ value: each, label: text, icon: Icon }) => (
        <label
          key={each}
          className="flex min-h-9 flex-1 cursor-pointer items-center justify-center gap-1.5 rounded-lg px-3 text-sm whitespace-nowrap text-muted has-checked:bg-raised has-checked:text-ink has-checked:shadow-sm has-checked:ring-1 has-checked:ring-line has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-10"
        >
          <input
            type="radio"
            name={label}
            checked={each === value}
            onChange={() => onChange(each)}
            className="sr-only"
          />
          {Icon && <Icon size={16} />}
          {text}
        </label>
      ))}
    </div>
  )
}
