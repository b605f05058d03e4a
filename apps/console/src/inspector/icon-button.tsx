import type { LucideIcon } from 'lucide-react'

interface Props {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
}

/** A button with a picture. Its label is read to people who do not see it, and shown under the pointer. */
export function IconButton({ icon: Icon, label, onClick }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid size-7 shrink-0 place-items-center rounded-lg text-muted hover:bg-panel hover:text-ink pointer-coarse:size-9"
    >
      <Icon size={16} />
    </button>
  )
}
