import type { LucideIcon } from 'lucide-react'
import type { Ref } from 'react'

interface Props {
  readonly icon: LucideIcon
  readonly label: string
  readonly onClick: () => void
  /** Size and colours. Default: a small grey button. */
  readonly className?: string
  /** The size of the picture. Default: 16. */
  readonly iconPx?: number
  /**
   * Makes the button do nothing. It is not `disabled`: it keeps the focus, which a person with a keyboard would lose.
   */
  readonly isOff?: boolean
  /** The name under which a keyboard shortcut finds it. */
  readonly shortcut?: string
  readonly ref?: Ref<HTMLButtonElement>
}

const small = 'size-7 rounded-lg text-muted hover:bg-panel hover:text-ink pointer-coarse:size-10'

/** A button with a picture. Its label is read to people who do not see it, and shown under the pointer. */
export function IconButton({ icon: Icon, label, onClick, isOff, shortcut, ref, ...look }: Props) {
  const { className = small, iconPx = 16 } = look
  return (
    <button
      ref={ref}
      type="button"
      aria-label={label}
      title={label}
      aria-disabled={isOff}
      data-shortcut={shortcut}
      onClick={() => isOff !== true && onClick()}
      className={`grid shrink-0 place-items-center ${className}`}
    >
      <Icon size={iconPx} />
    </button>
  )
}
