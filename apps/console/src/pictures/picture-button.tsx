import { useSettings } from '../settings/settings.tsx'

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
  const { language } = useSettings()
  const enlarge = async (button: HTMLButtonElement) => {
    const { showPictures } = await import('./show-pictures.tsx')
    showPictures(button, language)
  }
  return (
    <button
      type="button"
      data-picture
      onClick={event => void enlarge(event.currentTarget)}
      className={`block max-w-full cursor-zoom-in ${isWide ? 'w-full' : ''}`}
    >
      <img src={address} alt={label} className={className} style={{ maxHeight: maxHeightPx }} />
    </button>
  )
}
