import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly text?: string
  /** What changes the setting. */
  readonly children: ReactNode
}

/** One setting: what it is, what it does, and beside it (on a phone below it) what changes it. */
export function Setting({ title, text, children }: Props) {
  return (
    <section className="flex flex-col gap-3 py-5 sm:flex-row sm:items-center sm:justify-between sm:gap-8">
      <div className="min-w-0">
        <h2 className="font-medium">{title}</h2>
        {text !== undefined && <p className="mt-0.5 text-sm text-muted">{text}</p>}
      </div>
      <div className="shrink-0">{children}</div>
    </section>
  )
}
