import { isRecord } from '@throughline/protocol'

/** A page that an agent offers to open. */
export interface UrlOffer {
  readonly url: string
  readonly title: string
}

/** Returns the offer in a UI event; `undefined` when it is none, or when its address is not on the web. */
export function urlOfferFrom(data: unknown): UrlOffer | undefined {
  if (!isRecord(data) || data['type'] !== 'open-url') return undefined
  const { url, title } = data
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return undefined
  return { url, title: typeof title === 'string' ? title : url }
}
