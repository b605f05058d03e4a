import { asChatError, type ChatError } from '@throughline/client'
import { isShareLink, isShareLinks, type ShareLink } from '@throughline/protocol/internal'
import { Check, Copy, ExternalLink, Link } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useCopy } from '../browser/use-copy.ts'
import { DialogClose } from '../controls/dialog-close.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { ErrorText } from '../errors/error-text.tsx'
import { addressOf } from '../server/base-path.ts'
import { callServer, tellServer } from '../server/call-server.ts'
import { useSettings, useWords } from '../settings/settings.tsx'
import { useLaterWords } from '../words/later/use-later-words.ts'

interface Props {
  readonly chat: { readonly id: string; readonly title: string }
  readonly onClose: () => void
}

/** Says what others will see of a chat, makes links to it, and ends them. */
export function ShareDialog({ chat, onClose }: Props) {
  const words = useLaterWords().share
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
  const words = useLaterWords().share
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
  const words = useLaterWords().share
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

interface RowProps {
  readonly link: ShareLink
  readonly isBusy: boolean
  readonly onStop: () => void
}

const square =
  'grid size-10 shrink-0 place-items-center rounded-xl border border-line text-muted hover:border-accent hover:text-ink'

/** One link: its address to copy, when it was made, and the way to end it. */
function LinkRow({ link, isBusy, onStop }: RowProps) {
  const words = useLaterWords().share
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
          <IconButton
            icon={isCopied ? Check : Copy}
            label={isCopied ? words.copied : words.copy}
            onClick={() => copy(address)}
            className={square}
          />
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

interface Links {
  /** Newest first; `undefined` until they are loaded. */
  readonly links: readonly ShareLink[] | undefined
  /** What the person did last, when it has worked. */
  readonly done: 'created' | 'stopped' | undefined
  readonly problem: ChatError | undefined
  /** Whether the server is at work. */
  readonly isBusy: boolean
  create(): void
  stop(key: string): void
}

/** The links of a chat, and the ways to make and to end one. */
function useLinks(chatId: string): Links {
  const address = `/api/chats/${chatId}/share`
  const [links, setLinks] = useState<readonly ShareLink[]>()
  const [done, setDone] = useState<Links['done']>()
  const [problem, setProblem] = useState<ChatError>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    let isGone = false
    callServer(isShareLinks, 'GET', address).then(
      // A link may have been made meanwhile.
      body => isGone || setLinks((made = []) => made.reduceRight(withLink, body.links)),
      error => isGone || setProblem(asChatError(error)),
    )
    return () => {
      isGone = true
    }
  }, [address])

  const attempt = async (work: () => Promise<void>) => {
    setIsBusy(true)
    setProblem(undefined)
    setDone(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(asChatError(error))
    }
    setIsBusy(false)
  }
  return {
    links,
    done,
    problem,
    isBusy,
    create: () =>
      void attempt(async () => {
        const made = await callServer(isShareLink, 'POST', address, {})
        // An unchanged chat keeps the link that it has.
        setLinks((known = []) => withLink(known, made))
        setDone('created')
      }),
    stop: key =>
      void attempt(async () => {
        await stopSharing(`${address}/${key}`)
        setLinks((known = []) => without(known, key))
        setDone('stopped')
      }),
  }
}

async function stopSharing(address: string): Promise<void> {
  try {
    await tellServer('DELETE', address)
  } catch (error) {
    // Another tab may have stopped it before, or the response to an earlier attempt got lost.
    if (asChatError(error).code !== 'share-not-found') throw error
  }
}

function withLink(links: readonly ShareLink[], link: ShareLink): readonly ShareLink[] {
  return [link, ...without(links, link.key)]
}

function without(links: readonly ShareLink[], key: string): readonly ShareLink[] {
  return links.filter(link => link.key !== key)
}
