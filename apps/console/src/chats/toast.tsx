import type { ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
  readonly action?: { readonly label: string; readonly onChoose: () => void } | undefined
  /** Called when a person begins or ends to look at the toast with the pointer or the keyboard. */
  readonly onHold?: ((isHeld: boolean) => void) | undefined
}

/** A short notice at the bottom of the page, with at most one thing to do. */
export function Toast({ children, action, onHold }: Props) {
  return (
    <div
      role="status"
      onPointerEnter={() => onHold?.(true)}
      onPointerLeave={() => onHold?.(false)}
      onFocus={() => onHold?.(true)}
      onBlur={() => onHold?.(false)}
      className="fixed bottom-24 left-1/2 z-30 flex max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-3 rounded-xl bg-ink px-4 py-2.5 text-sm text-page shadow-lg"
    >
      <span className="truncate">{children}</span>
      {action !== undefined && (
        <button
          type="button"
          onClick={action.onChoose}
          className="shrink-0 rounded-lg px-2 py-1 font-semibold underline underline-offset-4"
        >
          {action.label}
        </button>
      )}
    </div>
  )
}
