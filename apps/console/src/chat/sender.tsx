/** An agent's mark: its first character in a colour of its own. */
export function Sender({ name }: { readonly name: string }) {
  const hue = [...name].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 360, 7)
  return (
    <span
      aria-hidden="true"
      className="mt-0.5 grid size-8 shrink-0 place-items-center rounded-full text-sm font-semibold text-white"
      style={{ background: `hsl(${hue} 45% 42%)` }}
    >
      {[...name][0]?.toUpperCase()}
    </span>
  )
}

export function Dots({ label }: { readonly label: string }) {
  return (
    <span role="status" aria-label={label} className="dots flex h-6 items-center gap-1">
      <span className="size-1.5 rounded-full bg-muted" />
      <span className="size-1.5 rounded-full bg-muted" />
      <span className="size-1.5 rounded-full bg-muted" />
    </span>
  )
}

/** Stands where the answer will be, with the right name, until its first chunk is here. */
export function Thinking({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <article data-role="thinking" className="flex gap-3">
      <Sender name={name} />
      <div className="space-y-3">
        <header className="text-sm font-semibold">
          <span data-sender>{name}</span>
        </header>
        <Dots label={label} />
      </div>
    </article>
  )
}
