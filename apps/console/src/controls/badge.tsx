/** A short word beside a name. */
export function Badge({ text, isBad = false }: { readonly text: string; readonly isBad?: boolean }) {
  return (
    <span
      className={`shrink-0 rounded-full px-2 text-xs leading-5 ${isBad ? 'bg-danger-soft text-danger' : 'bg-panel text-muted'}`}
    >
      {text}
    </span>
  )
}
