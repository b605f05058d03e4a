import { useEffect, useState } from 'react'
import { addressOf } from '../base-path.ts'
import { accessHeaders } from '../settings/access.ts'
import { useWords } from '../settings/settings.tsx'

/** Draws a picture that only its owner may see. So it is loaded with the owner's token. */
export function Screenshot({ address }: { readonly address: string }) {
  const words = useWords()
  const [picture, setPicture] = useState<string>()
  useEffect(() => {
    let made: string | undefined
    const gone = new AbortController()
    fetch(addressOf(address), { headers: accessHeaders(), signal: gone.signal })
      .then(async response => {
        if (!response.ok) return
        made = URL.createObjectURL(await response.blob())
        setPicture(made)
      })
      // Without the picture, the card still shows what was done.
      .catch(() => undefined)
    return () => {
      gone.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [address])
  if (picture === undefined) return null
  return (
    <img
      src={picture}
      alt={words.screenshot}
      className="max-h-96 w-full border-t border-line object-contain object-top"
    />
  )
}
