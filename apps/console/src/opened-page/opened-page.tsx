import { ExternalLink, X } from 'lucide-react'
import { useState } from 'react'
import type { UrlOffer } from '../chat/url-offer.ts'
import { useFocusInside } from '../use-focus-inside.ts'
import { useKeys } from '../use-keys.ts'
import { useOpenedPageWords } from './opened-page-words.ts'
import { SplitHandle } from './split-handle.tsx'
import { keepShare, keptShare } from './split-share.ts'

interface Props {
  readonly offer: UrlOffer
  /** Whether something else has the place beside the chat. The page then stays loaded. */
  readonly isHidden: boolean
  readonly onClose: () => void
}

/** A page of another site, beside the chat on a wide screen, and over it on a phone. */
export function OpenedPage({ offer, isHidden, onClose }: Props) {
  const words = useOpenedPageWords()
  const [share, setShare] = useState(keptShare)
  const [isResizing, setIsResizing] = useState(false)
  const closeButton = useFocusInside<HTMLButtonElement>(offer)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) onClose()
  }
  useKeys(onKey, { isOn: !isHidden })
  return (
    <aside
      aria-label={offer.title}
      hidden={isHidden}
      style={{ flexBasis: `${share}%` }}
      className="fixed inset-0 z-30 flex min-w-0 flex-col bg-page [&[hidden]]:hidden lg:relative lg:z-auto"
    >
      <SplitHandle
        share={share}
        label={words.resize}
        onChange={next => {
          setShare(next)
          keepShare(next)
        }}
        onResizing={setIsResizing}
      />
      <header className="flex items-center gap-1 border-b border-line py-1 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-medium">{offer.title}</h2>
          <p className="truncate text-xs text-muted">{offer.url}</p>
        </div>
        <NewTab url={offer.url} label={words.newTab} />
        <button
          ref={closeButton}
          type="button"
          aria-label={words.close}
          title={words.close}
          onClick={onClose}
          className="grid size-10 shrink-0 place-items-center rounded-lg text-muted hover:bg-panel hover:text-ink"
        >
          <X size={18} />
        </button>
      </header>
      <p className="border-b border-line bg-panel px-4 py-1.5 text-xs text-muted">{words.mayRefuse}</p>
      {/* While the handle is moved, the other site must not get the pointer. */}
      <iframe
        title={offer.title}
        src={offer.url}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        className={`min-h-0 flex-1 bg-white ${isResizing ? 'pointer-events-none' : ''}`}
      />
    </aside>
  )
}

function NewTab({ url, label }: { readonly url: string; readonly label: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="flex min-h-10 shrink-0 items-center gap-1.5 rounded-lg px-2 text-sm text-accent hover:bg-panel"
    >
      <ExternalLink size={16} className="shrink-0" /> <span className="max-sm:sr-only">{label}</span>
    </a>
  )
}
