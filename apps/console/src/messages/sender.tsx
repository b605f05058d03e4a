import { UserRound } from 'lucide-react'

interface SenderProps {
  readonly name: string
  readonly isPerson?: boolean
}

/**
 * The mark of a speaker, with a colour for each name: the first character of an agent's name, or the icon of a person.
 */
export function SenderMark({ name, isPerson = false }: SenderProps) {
  const hue = [...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 360, 7)
  return (
    <span
      aria-hidden="true"
      className="mt-0.5 grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold text-white"
      style={{ background: `hsl(${hue} 45% 42%)` }}
    >
      {isPerson ? <UserRound size={17} /> : [...name][0]?.toUpperCase()}
    </span>
  )
}

/** Three dots that move. */
export function Dots() {
  return (
    <span aria-hidden="true" className="dots flex h-6 items-center gap-1">
      <span className="size-1.5 rounded-full bg-muted" />
      <span className="size-1.5 rounded-full bg-muted" />
      <span className="size-1.5 rounded-full bg-muted" />
    </span>
  )
}

/** Shown in place of an answer, with the agent's name, until its first chunk has come. */
export function Thinking({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <article data-role="thinking" className="flex gap-3">
      <SenderMark name={name} />
      <div className="space-y-3">
        <header className="text-sm font-semibold">
          <span data-sender>{name}</span>
        </header>
        <div role="status" aria-label={label}>
          <Dots />
        </div>
      </div>
    </article>
  )
}
