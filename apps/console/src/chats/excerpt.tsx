/** A line of a message that was found, with what was searched for marked in it. */
export function Excerpt({ text, found }: { readonly text: string; readonly found: string }) {
  const at = text.toLowerCase().indexOf(found.toLowerCase())
  if (at === -1) return text
  const end = at + found.length
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-accent-soft text-ink">{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}
