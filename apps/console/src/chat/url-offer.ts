import { isRecord } from '@throughline/protocol'
import { useCallback, useState } from 'react'

/** A page that an agent offers to open. */
export interface UrlOffer {
  readonly url: string
  readonly title: string
}

/** Returns the offer in a UI event; `undefined` when it is none, or when its address is not on the web. */
function urlOfferFrom(data: unknown): UrlOffer | undefined {
  if (!isRecord(data) || data['type'] !== 'open-url') return undefined
  const { url, title } = data
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return undefined
  return { url, title: typeof title === 'string' ? title : url }
}

/** At most this many offers are shown at once. Older ones go. */
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
