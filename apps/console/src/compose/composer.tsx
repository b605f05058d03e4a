import type { FilePart } from '@throughline/protocol'
import { ArrowUp, Paperclip, Square } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { lazyOr, lazyPart } from '../controls/lazy-part.ts'
import { isTouch, TextField } from '../controls/text-field.tsx'
import { useWords } from '../settings/settings.tsx'
import { type Attachment, unreadableFiles } from './attachment.ts'
import type { CommandActions, OnKey } from './commands.ts'
import type { Draft } from './use-draft.ts'

// Loaded when it is needed, or a while after the page, so that it is there when the server is away.
const loadTray = () => import('./attachment-tray.tsx')
const loadReader = () => import('./read-files.ts')
const loadCommands = () => import('./command-list.tsx')
const loadWaiting = () => import('../queue/waiting-messages.tsx')
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

const round = 'grid size-10 shrink-0 place-items-center rounded-full md:size-9'

function StopButton({ onStop }: { readonly onStop: () => void }) {
  const words = useWords()
  return (
    <button
      type="button"
      onClick={onStop}
      aria-label={words.stop}
      title={words.stop}
      data-shortcut="stop"
      className={`${round} bg-ink text-page`}
    >
      <Square size={14} fill="currentColor" />
    </button>
  )
}

function SendButton({ canSend }: { readonly canSend: boolean }) {
  const words = useWords()
  return (
    <button
      type="submit"
      disabled={!canSend}
      aria-label={words.send}
      title={words.send}
      className={`${round} bg-accent text-page disabled:opacity-35`}
    >
      <ArrowUp size={18} />
    </button>
  )
}

/** Lets a person choose files of their machine. */
function AttachButton({ onPick }: { readonly onPick: (files: Iterable<File>) => void }) {
  const words = useWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        aria-label={words.attach}
        title={words.attach}
        onClick={() => input.current?.click()}
        className={`${round} text-muted hover:bg-panel hover:text-ink`}
      >
        <Paperclip size={18} />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onPick(target.files ?? [])
          // So the same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}

/**
 * Takes the files that a person drops anywhere on the page, while `onFiles` is given. Without it, the browser would open
 * the file in place of the page. Returns whether files are held over the page.
 */
function useDroppedFiles(onFiles: ((files: Iterable<File>) => void) | undefined): boolean {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const onDrag = (event: DragEvent) => {
      if (latest.current === undefined || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(event.type === 'dragover')
      if (event.type === 'drop') latest.current(event.dataTransfer.files)
    }
    for (const type of ['dragover', 'drop', 'dragleave'] as const) addEventListener(type, onDrag, { signal })
    return () => ending.abort()
  }, [])
  return isOver
}
