import { isRecord } from '@throughline/protocol'
import { ExternalLink, PanelRight, X } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'

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

interface Props {
  readonly offers: readonly UrlOffer[]
  readonly onDismiss: (offer: UrlOffer) => void
}

/** The pages that agents offer. Nothing of another site is loaded before the person clicks. */
export function UrlOffers({ offers, onDismiss }: Props) {
  const words = useWords()
  const [opened, setOpened] = useState<UrlOffer>()
  return (
    <>
      {offers.map(offer => (
        <div
          key={offer.url}
          className="mx-auto mb-2 flex w-full max-w-3xl items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 text-sm"
        >
          <PanelRight size={16} className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">
            {offer.title} <span className="text-muted">{offer.url}</span>
          </span>
          <button
            type="button"
            onClick={() => setOpened(offer)}
            className="rounded-full bg-accent px-3 py-0.5 text-page"
          >
            {words.open}
          </button>
          <button
            type="button"
            aria-label={words.dismiss}
            onClick={() => onDismiss(offer)}
            className="p-1 text-muted hover:text-ink"
          >
            <X size={15} />
          </button>
        </div>
      ))}
      {opened !== undefined && <UrlPanel offer={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function UrlPanel({ offer, onClose }: { readonly offer: UrlOffer; readonly onClose: () => void }) {
  const words = useWords()
  return (
    <aside
      aria-label={offer.title}
      className="fixed inset-y-0 right-0 z-30 flex w-full max-w-2xl flex-col border-l border-line bg-page shadow-xl"
    >
      <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
        <span className="min-w-0 flex-1 truncate font-medium">{offer.title}</span>
        <a
          href={offer.url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          aria-label={words.newTab}
          className="p-1 text-muted hover:text-ink"
        >
          <ExternalLink size={16} />
        </a>
        <button
          type="button"
          aria-label={words.dismiss}
          onClick={onClose}
          className="p-1 text-muted hover:text-ink"
        >
          <X size={18} />
        </button>
      </header>
      <iframe
        title={offer.title}
        src={offer.url}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        className="min-h-0 flex-1 bg-white"
      />
    </aside>
  )
}
