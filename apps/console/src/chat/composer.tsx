import type { FilePart } from '@throughline/protocol'
import { Suspense, useEffect, useRef } from 'react'
import type { Attachment } from '../compose/attachment.ts'
import type { CommandActions, OnKey } from '../compose/command-actions.ts'
import { unreadableFiles } from '../compose/kept-files.ts'
import { isTouch } from '../is-touch.ts'
import { lazyOr } from '../lazy-or.ts'
import { lazyPart } from '../lazy-part.ts'
import { TextField } from '../text-field.tsx'
import { AttachButton, SendButton, StopButton } from './composer-buttons.tsx'
import type { Draft } from './use-draft.ts'
import { useDroppedFiles } from './use-dropped-files.ts'

// Loaded when it is needed, or a while after the page, so that it is there when the server is away.
const loadTray = () => import('../compose/attachment-tray.tsx')
const loadReader = () => import('../compose/read-files.ts')
const loadCommands = () => import('../compose/command-list.tsx')
const loadWaiting = () => import('../compose/waiting-messages.tsx')
const AttachmentTray = lazyOr(async () => (await loadTray()).AttachmentTray, FileNames)
const CommandList = lazyPart(async () => (await loadCommands()).CommandList)
const preloadMs = 20_000

/** What a person has written, and how to send it. */
export interface Composed {
  readonly text: string
  readonly files: readonly FilePart[]
  /** Whether the answer that is being written is to be stopped. */
  readonly isInterrupting: boolean
}

interface Props {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly placeholder: string
  /** What the person can do with `/` commands; `undefined` when they write to another person, without files and commands. */
  readonly commands: CommandActions | undefined
  readonly onSend: (composed: Composed) => void
  readonly onStop: () => void
}

/** The field in which a person writes. While an answer is being written, a button stops it, and what is sent waits. */
export function Composer({ draft, isBusy, placeholder, commands, onSend, onStop }: Props) {
  const { text, files, setText, setFiles } = draft
  const keys = useRef<OnKey>(undefined)
  // Files are for the agent. They wait while the person writes to another person.
  const attached = commands === undefined ? [] : files
  const parts = attached.flatMap(({ part }) => part ?? [])
  const canSend = (text.trim() !== '' || parts.length > 0) && parts.length === attached.length
  usePreload()
  const send = (isInterrupting: boolean) => {
    if (!canSend) return
    onSend({ text: text.trim(), files: parts, isInterrupting })
    setText('')
    if (commands !== undefined) setFiles(() => [])
  }
  const attach = (picked: Iterable<File>) => {
    // A copy: the browser empties its list when the event is over.
    const all = [...picked]
    loadReader()
      .then(({ readFiles }) => readFiles(all, setFiles))
      .catch(() => setFiles(known => [...known, ...unreadableFiles(all)]))
  }
  const isOver = useDroppedFiles(commands === undefined ? undefined : attach)
  const onKey: OnKey = event => {
    if (keys.current?.(event)) return true
    return event.key === 'ArrowUp' && text === '' && editLast()
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        send(false)
      }}
      className={`relative mx-auto w-full max-w-3xl rounded-3xl border bg-raised p-2 shadow-sm focus-within:border-accent ${isOver ? 'border-dashed border-accent' : 'border-line'}`}
    >
      <Suspense>
        {attached.length > 0 && (
          <AttachmentTray
            files={attached}
            areKept={draft.areFilesKept}
            onRemove={id => setFiles(all => all.filter(file => file.id !== id))}
          />
        )}
        {commands !== undefined && text.startsWith('/') && (
          <CommandList text={text} actions={commands} keys={keys} onText={setText} />
        )}
      </Suspense>
      <div className="flex items-end gap-2">
        {commands === undefined ? <span className="w-1" /> : <AttachButton onPick={attach} />}
        <TextField
          text={text}
          label={placeholder}
          placeholder={placeholder}
          takesFocus={!isTouch()}
          shortcut="write"
          onChange={setText}
          onEnter={send}
          onKey={onKey}
          onPaste={({ clipboardData }) => {
            if (commands !== undefined && clipboardData.files.length > 0) attach(clipboardData.files)
          }}
        />
        {isBusy && <StopButton onStop={onStop} />}
        {(!isBusy || canSend) && <SendButton canSend={canSend} />}
      </div>
    </form>
  )
}

/** In place of the tray when that cannot be loaded: files that are sent along must be seen. */
function FileNames({ files }: { readonly files: readonly Attachment[] }) {
  return (
    <p className="truncate px-2 pt-1 pb-2 text-sm text-muted">{files.map(({ name }) => name).join(', ')}</p>
  )
}

/** Loads what is not needed yet, so that it is there when the server is away. */
function usePreload(): void {
  useEffect(() => {
    const preload = () =>
      Promise.all([loadTray(), loadReader(), loadCommands(), loadWaiting()]).catch(() => undefined)
    const timer = setTimeout(preload, preloadMs)
    return () => clearTimeout(timer)
  }, [])
}

/** Lets the person edit their last message. Returns whether there is one. */
function editLast(): boolean {
  const edit = [...document.querySelectorAll<HTMLElement>('#messages [data-shortcut=edit]')].at(-1)
  edit?.click()
  return edit !== undefined
}
