import { Check, Copy, ExternalLink } from 'lucide-react'
import { addressOf } from '../base-path.ts'
import { useSettings } from '../settings/settings.tsx'
import { useCopy } from '../use-copy.ts'
import { useShareWords } from './share-words.ts'
import type { ShareLink } from './use-links.ts'

interface Props {
  readonly link: ShareLink
  readonly isBusy: boolean
  readonly onStop: () => void
}

const square =
  'grid size-10 shrink-0 place-items-center rounded-xl border border-line text-muted hover:border-accent hover:text-ink'

/** One link: its address to copy, when it was made, and the way to end it. */
export function LinkRow({ link, isBusy, onStop }: Props) {
  const words = useShareWords()
  const { language } = useSettings()
  const { canCopy, isCopied, copy } = useCopy()
  const address = location.origin + addressOf(link.path)
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(link.createdAt),
  )
  return (
    <li data-link className="border-t border-line py-3 first:border-0 first:pt-1">
      <div className="flex gap-2">
        <input
          readOnly
          value={address}
          aria-label={words.link(date)}
          onFocus={event => event.currentTarget.select()}
          className="h-10 min-w-0 flex-1 rounded-xl border border-line bg-panel px-3 text-base text-ellipsis sm:text-sm"
        />
        {canCopy && (
          <button
            type="button"
            aria-label={isCopied ? words.copied : words.copy}
            title={isCopied ? words.copied : words.copy}
            onClick={() => copy(address)}
            className={square}
          >
            {isCopied ? <Check size={16} /> : <Copy size={16} />}
          </button>
        )}
        <a
          href={address}
          target="_blank"
          rel="noreferrer"
          aria-label={words.open}
          title={words.open}
          className={square}
        >
          <ExternalLink size={16} />
        </a>
      </div>
      <div className="mt-1 flex items-center justify-between gap-3 text-sm">
        <span className="text-muted">{words.made(date, link.messageCount)}</span>
        <button
          type="button"
          disabled={isBusy}
          onClick={onStop}
          className="min-h-10 rounded-lg px-2 text-danger hover:underline disabled:opacity-40"
        >
          {words.stop}
        </button>
      </div>
    </li>
  )
}
