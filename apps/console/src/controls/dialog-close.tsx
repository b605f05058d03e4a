import { X } from 'lucide-react'

/** The button that closes the dialog around it. */
export function DialogClose({ label }: { readonly label: string }) {
  return (
    <form method="dialog">
      <button
        type="submit"
        aria-label={label}
        className="grid size-9 place-items-center rounded-lg text-muted hover:bg-panel hover:text-ink pointer-coarse:size-10"
      >
        <X size={18} />
      </button>
    </form>
  )
}
