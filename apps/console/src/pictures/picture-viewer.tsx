import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'

interface Props {
  /** The button with the picture to show first. */
  readonly button: Element
  onClose(): void
}

const round = 'size-10 rounded-full bg-white/15 hover:bg-white/30'

/** Shows one picture of several over the page. Escape closes it, the arrow keys show the others. */
export function PictureViewer({ button, onClose }: Props) {
  const words = useLaterWords().picture
  const [{ pictures, index }, setShown] = useState(() => picturesOnPage(button))
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const picture = pictures[index]
  if (picture === undefined) return null
  const move = (by: number) => setShown({ pictures, index: (index + by + pictures.length) % pictures.length })
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') move(-1)
    if (event.key === 'ArrowRight') move(1)
    // The dialog closes, and nothing behind it.
    if (event.key === 'Escape') event.stopPropagation()
  }
  return (
    <dialog
      ref={dialog}
      aria-label={words.picture(index + 1, pictures.length)}
      onClose={onClose}
      onKeyDown={onKey}
      className="m-0 h-dvh max-h-none w-dvw max-w-none bg-black/85 text-white"
    >
      {/* biome-ignore lint/a11y: a click beside the picture closes, as Escape and the button do */}
      <div className="flex size-full items-center justify-center p-4 pt-14" onClick={closeOnBackground}>
        <img
          src={picture.address}
          alt={picture.label}
          className="max-h-full max-w-full rounded-lg bg-white object-contain"
        />
      </div>
      <div className="absolute top-2 right-2">
        <IconButton
          icon={X}
          label={words.close}
          onClick={() => dialog.current?.close()}
          className={round}
          iconPx={20}
        />
      </div>
      {pictures.length > 1 && (
        <div className="absolute top-2 left-2 flex items-center gap-2 text-sm">
          <IconButton
            icon={ChevronLeft}
            label={words.previous}
            onClick={() => move(-1)}
            className={round}
            iconPx={20}
          />
          <IconButton
            icon={ChevronRight}
            label={words.next}
            onClick={() => move(1)}
            className={round}
            iconPx={20}
          />
          {index + 1} / {pictures.length}
        </div>
      )}
    </dialog>
  )
}

function closeOnBackground({
  target,
  currentTarget,
}: {
  target: EventTarget
  currentTarget: HTMLElement
}): void {
  if (target === currentTarget) currentTarget.closest('dialog')?.close()
}

interface Picture {
  readonly address: string
  readonly label: string
}

/** Returns the pictures of the page that can be shown larger, in their order, and the index of the one in a button. */
function picturesOnPage(button: Element): {
  readonly pictures: readonly Picture[]
  readonly index: number
} {
  const buttons = [...document.querySelectorAll('button[data-picture]')]
  const images = buttons.flatMap(each => each.querySelector('img') ?? [])
  const index = images.findIndex(image => button.contains(image))
  return { pictures: images.map(({ src, alt }) => ({ address: src, label: alt })), index }
}
