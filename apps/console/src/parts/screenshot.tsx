import { useWords } from '../settings/settings.tsx'
import { useOwnPicture } from './use-own-picture.ts'

/** Draws a picture that a tool returned. */
export function Screenshot({ address }: { readonly address: string }) {
  const words = useWords()
  const picture = useOwnPicture(address)
  if (picture === undefined) return null
  return (
    <img
      src={picture}
      alt={words.screenshot}
      className="max-h-96 w-full border-t border-line object-contain object-top"
    />
  )
}
