import { PictureButton } from '../pictures/picture-button.tsx'
import { useWords } from '../settings/settings.tsx'
import { useOwnPicture } from './use-own-picture.ts'

/** Draws a picture that a tool returned. */
export function Screenshot({ address }: { readonly address: string }) {
  const words = useWords()
  const picture = useOwnPicture(address)
  if (picture === undefined) return null
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
