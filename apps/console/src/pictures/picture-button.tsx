import { Suspense, useState } from 'react'
import { lazyPart } from '../controls/lazy-part.ts'

// Needed only after a click.
const PictureViewer = lazyPart(async () => (await import('./picture-viewer.tsx')).PictureViewer)

interface Props {
  readonly address: string
  readonly label: string
  /** The look of the picture itself. */
  readonly className: string
  /** Whether it is as wide as the place where it is. */
  readonly isWide?: boolean
  /** How high it may be. Without it, the look says that. */
  readonly maxHeightPx?: number
}

/** A picture that is shown larger when it is clicked. */
export function PictureButton({ address, label, className, isWide = false, maxHeightPx }: Props) {
  const [clicked, setClicked] = useState<HTMLButtonElement>()
  return (
    <>
      <button
        type="button"
        data-picture
        onClick={event => setClicked(event.currentTarget)}
        className={`block max-w-full cursor-zoom-in ${isWide ? 'w-full' : ''}`}
      >
        <img src={address} alt={label} className={className} style={{ maxHeight: maxHeightPx }} />
      </button>
      {clicked !== undefined && (
        <Suspense>
          <PictureViewer button={clicked} onClose={() => setClicked(undefined)} />
        </Suspense>
      )}
    </>
  )
}
