import type { PointerEvent } from 'react'
import { maxShare, minShare, shareAfterKey, withinShares } from './split-share.ts'

interface Props {
  /** The share of the width that is on the right of the handle, in percent. */
  readonly share: number
  readonly label: string
  readonly onChange: (share: number) => void
  /** Called when the person takes the handle, and when they let it go. */
  readonly onResizing: (isResizing: boolean) => void
}

/** The line between the chat and the page beside it. It is moved by mouse, finger or arrow keys. */
export function SplitHandle({ share, label, onChange, onResizing }: Props) {
  const move = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    if (currentTarget.dataset['taken'] !== '') return
    // The page beside the chat ends at the right edge of the window.
    onChange(withinShares((1 - clientX / innerWidth) * 100))
  }
  const release = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    delete currentTarget.dataset['taken']
    onResizing(false)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that has a value cannot be an hr.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(share)}
      aria-valuemin={minShare}
      aria-valuemax={maxShare}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => {
        currentTarget.setPointerCapture(pointerId)
        currentTarget.dataset['taken'] = ''
        onResizing(true)
      }}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onKeyDown={event => {
        const next = shareAfterKey(share, event.key)
        if (next === undefined) return
        event.preventDefault()
        onChange(next)
      }}
      className="absolute inset-y-0 -left-px hidden w-px cursor-col-resize touch-none bg-line after:absolute after:inset-y-0 after:-left-1.5 after:w-3 hover:bg-accent focus-visible:bg-accent lg:block pointer-coarse:after:-left-3 pointer-coarse:after:w-6"
    />
  )
}
