import { useCallback, useState } from 'react'
import { type UrlOffer, urlOfferFrom } from './url-offer.ts'

/** So many offers are shown at once. Older ones go. */
const mostOffers = 3

interface UrlOffers {
  readonly offers: readonly UrlOffer[]
  /** Takes an event of an agent. Only offers count. */
  onUiEvent(data: unknown): void
  dismiss(offer: UrlOffer): void
}

/** Returns the pages that the agents of a chat have offered to open, the newest last. A page is offered once. */
export function useUrlOffers(): UrlOffers {
  const [offers, setOffers] = useState<readonly UrlOffer[]>([])
  const onUiEvent = useCallback((data: unknown) => {
    const offer = urlOfferFrom(data)
    if (offer === undefined) return
    setOffers(known => [...known.filter(({ url }) => url !== offer.url), offer].slice(-mostOffers))
  }, [])
  const dismiss = useCallback(
    (offer: UrlOffer) => setOffers(known => known.filter(each => each !== offer)),
    [],
  )
  return { offers, onUiEvent, dismiss }
}
