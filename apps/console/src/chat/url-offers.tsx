import { PanelRight, X } from 'lucide-react'
import { useWords } from '../settings/settings.tsx'
import type { UrlOffer } from './url-offer.ts'

interface Props {
  readonly offers: readonly UrlOffer[]
  readonly onOpen: (offer: UrlOffer) => void
  readonly onDismiss: (offer: UrlOffer) => void
}

/** The pages that agents offer. Nothing of another site is loaded before the person clicks. */
export function UrlOffers({ offers, onOpen, onDismiss }: Props) {
  const words = useWords()
  return offers.map(offer => (
    <div
      key={offer.url}
      data-offer=""
      className="mx-auto mb-2 flex w-full max-w-3xl items-center gap-2 rounded-xl border border-line bg-raised py-1 pr-1 pl-3 text-sm"
    >
      <PanelRight size={16} className="shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate">
        {offer.title} <span className="text-muted">{offer.url}</span>
      </span>
      <button
        type="button"
        onClick={() => onOpen(offer)}
        className="rounded-full bg-accent px-3 py-0.5 text-page pointer-coarse:min-h-10"
      >
        {words.open}
      </button>
      <button
        type="button"
        aria-label={words.dismiss}
        onClick={() => onDismiss(offer)}
        className="grid size-8 place-items-center text-muted hover:text-ink pointer-coarse:size-10"
      >
        <X size={15} />
      </button>
    </div>
  ))
}
