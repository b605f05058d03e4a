import type { LucideIcon } from 'lucide-react'
import type { Ref } from 'react'

interface Props {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
  /**
   * Makes the button do nothing. It is not `disabled`: it keeps the focus, which a person with a keyboard would lose.
   */
  readonly isOff?: boolean
  /** The name under which a keyboard shortcut finds it. */
  readonly shortcut?: string
  readonly ref?: Ref<HTMLButtonElement>
}

/** One of the small buttons below a message. */
export function ActionButton({ icon: Icon, label, onClick, isOff = false, shortcut, ref }: Props) {
  return (
    <button
      ref={ref}
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      data-shortcut={shortcut}
      onClick={() => !isOff && onClick()}
      className="grid size-7 place-items-center rounded-lg text-muted -outline-offset-2 hover:bg-panel hover:text-ink aria-disabled:cursor-default aria-disabled:bg-transparent aria-disabled:text-muted aria-disabled:*:opacity-35 pointer-coarse:size-10"
    >
      <Icon size={15} />
    </button>
  )
}
