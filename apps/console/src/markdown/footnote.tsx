import { createContext, type MouseEvent, type ReactNode, useContext } from 'react'

/** Tells the footnotes of one text from those of another on the same page. */
export const FootnoteScope = createContext('')

/** A footnote, which the references in the text lead to. */
export function Footnote({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const scope = useContext(FootnoteScope)
  return (
    <div id={idOf(scope, label)} tabIndex={-1} dir="auto" className="flex gap-2 text-sm text-muted">
      <sup className="mt-2">{label}</sup>
      <span className="min-w-0">{children}</span>
    </div>
  )
}

export function FootnoteReference({ label }: { readonly label: string }) {
  const id = idOf(useContext(FootnoteScope), label)
  const show = (event: MouseEvent) => {
    // The address of the page stays as it is.
    event.preventDefault()
    const note = document.getElementById(id)
    note?.scrollIntoView({ block: 'nearest' })
    note?.focus()
  }
  return (
    <sup>
      <a href={`#${encodeURIComponent(id)}`} onClick={show}>
        {label}
      </a>
    </sup>
  )
}

function idOf(scope: string, label: string): string {
  return `note${scope}${label}`
}
