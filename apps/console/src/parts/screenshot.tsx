import { PictureButton } from '../pictures/picture-button.tsx'
import { useWords } from '../settings/settings.tsx'
import { useOwnPicture } from './use-own-picture.ts'

interface Props {
  readonly address: string
  /** Draws it as one of several in a row. */
  readonly isSmall?: boolean
}

/** Draws a picture that a tool returned. */
export function Screenshot({ address, isSmall = false }: Props) {
  const words = useWords()
  const picture = useOwnPicture(address)
  if (picture === undefined) return null
  if (isSmall)
    return (
      <PictureButton
        address={picture}
        label={words.screenshot}
        className="h-32 rounded-lg border border-line"
      />
    )
  return (
    <div className="border-t border-line">
      <PictureButton
        address={picture}
        label={words.screenshot}
        isWide
        className="max-h-96 w-full object-contain object-top"
      />
    </div>
  )
}
