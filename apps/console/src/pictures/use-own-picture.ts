import { useEffect, useState } from 'react'
import { accessHeaders } from '../server/access.ts'
import { addressOf } from '../server/base-path.ts'
import { serverFetch } from '../server/server-fetch.ts'

/**
 * Loads a picture that only its owner may see, with the owner's token. Returns an address for an `img` element; `undefined`
 * until the picture is there, and when it cannot be loaded.
 */
export function useOwnPicture(address: string): string | undefined {
  const [picture, setPicture] = useState<string>()
  useEffect(() => {
    let made: string | undefined
    const gone = new AbortController()
    serverFetch(addressOf(address), { headers: accessHeaders(), signal: gone.signal })
      .then(async response => {
        if (!response.ok) return
        made = URL.createObjectURL(await response.blob())
        setPicture(made)
      })
      // Without the picture, the page still shows everything else.
      .catch(() => undefined)
    return () => {
      gone.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [address])
  return picture
}
