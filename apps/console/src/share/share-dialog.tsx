import { Link } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { DialogClose } from '../dialog-close.tsx'
import { ErrorText } from '../errors/error-text.tsx'
import { useWords } from '../settings/settings.tsx'
import { LinkRow } from './link-row.tsx'
import { useShareWords } from './share-words.ts'
import { type ShareLink, useLinks } from './use-links.ts'

interface Props {
  readonly chat: { readonly id: string; readonly title: string }
  readonly onClose: () => void
}

/** Says what others will see of a chat, makes links to it, and ends them. */
export function ShareDialog({ chat, onClose }: Props) {
  const words = useShareWords()
  const { untitled } = useWords()
  const { links = [], done, problem, isBusy, create, stop } = useLinks(chat.id)
  const dialog = useRef<HTMLDialogElement>(null)
  const createButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    createButton.current?.focus()
  }, [])
  // Outside of the list of chats, which moves out of the window on a phone.
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby="share-title"
      onClose={onClose}
      // A press beside the dialog is a press on its backdrop, which belongs to it.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
      onKeyDown={event => event.stopPropagation()}
      className="m-auto w-[min(32rem,calc(100vw-2rem))] rounded-2xl border border-line bg-raised text-ink shadow-xl backdrop:bg-black/40"
    >
      <div className="p-5">
        <header className="mb-3 flex items-start gap-2">
          <h2 id="share-title" className="line-clamp-2 flex-1 py-1 text-lg font-semibold break-words">
            {words.share(chat.title || untitled)}
          </h2>
          <DialogClose label={words.close} />
        </header>
        <WhatIsShared />
        <button
          ref={createButton}
          type="button"
          disabled={isBusy}
          onClick={create}
          className="mt-4 flex min-h-10 items-center justify-center gap-2 rounded-full bg-accent px-5 text-page disabled:opacity-40 max-sm:w-full"
        >
          <Link size={16} /> {words.create}
        </button>
        <p role="status" className="mt-2 text-sm text-muted empty:hidden">
          {done === 'created' && words.ready}
          {done === 'stopped' && words.stopped}
        </p>
        {problem !== undefined && (
          <p role="alert" className="mt-2 text-sm text-danger">
            <ErrorText error={problem} />
          </p>
        )}
        {links.length > 0 && (
          <LinkList
            links={links}
            isBusy={isBusy}
            onStop={key => {
              stop(key)
              // The button that was pressed goes with its link.
              createButton.current?.focus()
            }}
          />
        )}
      </div>
    </dialog>,
    document.body,
  )
}

/** Says what others will see of the chat, and what they will not see. */
function WhatIsShared() {
  const words = useShareWords()
  return (
    <>
      <p>{words.whoReads}</p>
      <ul className="my-2 list-disc space-y-1 pl-6">
        {words.whatIsRead.map(each => (
          <li key={each}>{each}</li>
        ))}
      </ul>
      <p className="text-sm text-muted">{words.whatIsNot}</p>
    </>
  )
}

interface LinkListProps {
  readonly links: readonly ShareLink[]
  readonly isBusy: boolean
  /** Called with the key of the link to end. */
  readonly onStop: (key: string) => void
}

/** The links to the chat that there are. */
function LinkList({ links, isBusy, onStop }: LinkListProps) {
  const words = useShareWords()
  return (
    <section aria-labelledby="share-links" className="mt-4">
      <h3 id="share-links" className="mb-1 text-sm font-medium text-muted">
        {words.links}
      </h3>
      <ul className="max-h-64 overflow-y-auto">
        {links.map(link => (
          <LinkRow key={link.key} link={link} isBusy={isBusy} onStop={() => onStop(link.key)} />
        ))}
      </ul>
    </section>
  )
}
