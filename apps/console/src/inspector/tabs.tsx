import { type KeyboardEvent, type ReactNode, useRef } from 'react'

interface Props<Name extends string> {
  readonly label: string
  readonly tabs: readonly { readonly name: Name; readonly label: string }[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
  /** What the chosen tab shows. */
  readonly children: ReactNode
}

/** Tabs with what the chosen one shows below them. The arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, children }: Props<Name>) {
  const row = useRef<HTMLDivElement>(null)
  const index = tabs.findIndex(({ name }) => name === chosen)
  const onKeyDown = (event: KeyboardEvent) => {
    const way = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = (index + way + tabs.length) % tabs.length
    const tab = tabs[next]
    if (way === 0 || tab === undefined) return
    event.preventDefault()
    onChoose(tab.name)
    row.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <>
      <div
        ref={row}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="flex gap-1 border-b border-line px-3"
      >
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`inspector-tab-${name}`}
            aria-selected={name === chosen}
            aria-controls="inspector-panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            className="-mb-px border-b-2 border-transparent px-2.5 py-1.5 text-sm text-muted -outline-offset-2 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {text}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="inspector-panel"
        aria-labelledby={`inspector-tab-${chosen}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        {children}
      </div>
    </>
  )
}
