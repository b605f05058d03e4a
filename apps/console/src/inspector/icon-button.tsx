import type { LucideIcon } from 'lucide-react'

interface Props {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
  /** Only for a button that turns something on and off: whether it is on. */
  readonly isPressed?: boolean
}

/** A button with a picture. Its label is read to people who do not see it, and shown under the pointer. */
export function IconButton({ icon: Icon, label, onClick, isPressed = false }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className={`grid size-7 shrink-0 place-items-center rounded-lg hover:bg-panel hover:text-ink pointer-coarse:size-10 ${isPressed ? 'bg-danger-soft text-danger' : 'text-muted'}`}
    >
      <Icon size={16} />
    </button>
  )
}
