import type { ReactNode } from 'react'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly children: ReactNode
}

/** A choice from a list. The browser's own: it works by touch and by keyboard everywhere. */
export function Select({ label, value, onChange, children }: Props) {
  return (
    <select
      aria-label={label}
      title={label}
      value={value}
      onChange={event => onChange(event.target.value)}
      className="min-w-0 max-w-full flex-1 truncate rounded-lg border border-line bg-raised px-2 py-1 text-base sm:text-sm"
    >
      {children}
    </select>
  )
}
