import { TriangleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { LinkWords } from '../words/later/en.ts'
import { useLaterWords } from '../words/later/use-later-words.ts'
import { type LinkLie, linkLie } from './link-lie.ts'

/** A link that misleads. */
export interface AskedLink {
  readonly href: string
  readonly lie: LinkLie
}

/** Opens a link that does not mislead. Returns the others, to ask about them. */
export function examine(text: string, href: string): AskedLink | undefined {
  const lie = linkLie(text, href)
  if (lie !== undefined) return { href, lie }
  follow(href)
  return undefined
}

interface Props {
  readonly link: AskedLink
  readonly onClose: () => void
}

/** Says where a link really leads, and asks whether to follow it. Escape and "Cancel" do not. */
export function LinkQuestion({ link: { href, lie }, onClose }: Props) {
  const words = useLaterWords().links
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby="link-question"
      onClose={onClose}
      // Escape closes the dialog, and nothing behind it.
      onKeyDown={event => event.key === 'Escape' && event.stopPropagation()}
      className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-2xl border border-line bg-raised p-5 text-ink shadow-xl backdrop:bg-black/40"
    >
      <h2 id="link-question" className="flex items-center gap-2 font-semibold">
        <TriangleAlert size={18} className="shrink-0 text-warning" /> {words.title}
      </h2>
      <p className="mt-3 break-words">
        <Explanation lie={lie} words={words} />
      </p>
      <p
        dir="ltr"
        className="mt-3 max-h-32 overflow-auto rounded-lg bg-panel p-2.5 font-mono text-xs break-all"
      >
        {href}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <button
          type="button"
          onClick={() => dialog.current?.close()}
          className="min-h-10 rounded-full bg-accent px-5 text-page"
        >
          {words.cancel}
        </button>
        <button
          type="button"
          onClick={() => {
            dialog.current?.close()
            follow(href)
          }}
          className="order-first min-h-10 rounded-full border border-line px-5 hover:border-danger hover:text-danger"
        >
          {words.open}
        </button>
      </div>
    </dialog>
  )
}

function Explanation({ lie, words }: { readonly lie: LinkLie; readonly words: LinkWords }) {
  const host = <Host name={lie.host} />
  switch (lie.type) {
    case 'other-host':
      return words.otherHost(<Host name={lie.claimed} />, host)
    case 'user-name':
      return words.userName(host)
    case 'look-alike':
      return words.lookAlike(host)
  }
}

function Host({ name }: { readonly name: string }) {
  return (
    <bdi dir="ltr" className="font-semibold">
      {name}
    </bdi>
  )
}

function follow(href: string): void {
  // A mail program opens beside the page. A new tab would stay behind, empty.
  if (href.startsWith('mailto:')) location.assign(href)
  else open(href, '_blank', 'noopener,noreferrer')
}
