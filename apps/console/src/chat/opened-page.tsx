import { ExternalLink, X } from 'lucide-react'
import { type PointerEvent, useState } from 'react'
import { useFocusInside } from '../browser/use-focus-inside.ts'
import { useKeys } from '../browser/use-keys.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'
import type { UrlOffer } from './url-offer.ts'

interface Props {
  readonly offer: UrlOffer
  /** Whether something else has the place beside the chat. The page then stays loaded. */
  readonly isHidden: boolean
  readonly onClose: () => void
}

/** A page of another site, beside the chat on a wide screen, and over it on a phone. */
export function OpenedPage({ offer, isHidden, onClose }: Props) {
  const words = useLaterWords().openedPage
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
        <IconButton
          ref={closeButton}
          icon={X}
          label={words.close}
          onClick={onClose}
          className="size-10 rounded-lg text-muted hover:bg-panel hover:text-ink"
          iconPx={18}
        />
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

interface HandleProps {
  /** The share of the width that is on the right of the handle, in percent. */
  readonly share: number
  readonly label: string
  readonly onChange: (share: number) => void
  /** Called when the person takes the handle, and when they let it go. */
  readonly onResizing: (isResizing: boolean) => void
}

/** The line between the chat and the page beside it. It is moved by mouse, finger or arrow keys. */
function SplitHandle({ share, label, onChange, onResizing }: HandleProps) {
  const move = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    if (currentTarget.dataset['taken'] !== '') return
    // The page beside the chat ends at the right edge of the window.
    onChange(withinShares((1 - clientX / innerWidth) * 100))
  }
  const release = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    delete currentTarget.dataset['taken']
    onResizing(false)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that has a value cannot be an hr.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(share)}
      aria-valuemin={minShare}
      aria-valuemax={maxShare}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => {
        currentTarget.setPointerCapture(pointerId)
        currentTarget.dataset['taken'] = ''
        onResizing(true)
      }}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onKeyDown={event => {
        const next = shareAfterKey(share, event.key)
        if (next === undefined) return
        event.preventDefault()
        onChange(next)
      }}
      className="absolute inset-y-0 -left-px hidden w-px cursor-col-resize touch-none bg-line after:absolute after:inset-y-0 after:-left-1.5 after:w-3 hover:bg-accent focus-visible:bg-accent lg:block pointer-coarse:after:-left-3 pointer-coarse:after:w-6"
    />
  )
}

const storageKey = 'throughline.page-share'

/** The smallest and the largest share of the width that the page beside the chat can have, in percent. */
const minShare = 20
const maxShare = 70

/** Returns the share that the person has chosen last; two fifths of the width at first. */
function keptShare(): number {
  const kept = Number.parseFloat(localStorage.getItem(storageKey) ?? '')
  return Number.isNaN(kept) ? 40 : withinShares(kept)
}

function keepShare(share: number): void {
  localStorage.setItem(storageKey, String(share))
}

function withinShares(share: number): number {
  return Math.round(Math.min(maxShare, Math.max(minShare, share)) * 10) / 10
}

/** Returns the share after a key was pressed on the handle; `undefined` for a key that does not move it. */
function shareAfterKey(share: number, key: string): number | undefined {
  switch (key) {
    // The page is on the right: to the left it grows.
    case 'ArrowLeft':
      return withinShares(share + 2)
    case 'ArrowRight':
      return withinShares(share - 2)
    case 'Home':
      return minShare
    case 'End':
      return maxShare
    default:
      return undefined
  }
}
