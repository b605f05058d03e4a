import { isFilePart, type Message, textOf } from '@throughline/protocol'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Attachment, attachmentsFrom } from './attachment.ts'
import { beingRead, type DraftFiles, useDraftFiles } from './draft-files.ts'

/** What a person has written in a chat and not sent yet. */
export interface Draft {
  readonly text: string
  readonly files: readonly Attachment[]
  /** Whether the files are there again after a reload. Otherwise they are too large for that. */
  readonly areFilesKept: boolean
  setText(text: string): void
  setFiles(change: (files: readonly Attachment[]) => readonly Attachment[]): void
  /** Puts a message back into the draft, before what is there. */
  takeBack(message: Message): void
  /** Puts a text back into the draft, before what is there. */
  takeBackText(text: string): void
}

/** Keeps the draft of a chat in this browser, under a name. It is there again after a reload, until it is sent. */
export function useDraft(name: string): Draft {
  const [text, setShownText] = useState(() => draftText(name))
  // A message may come back after a while. By then the person has written more.
  const latestText = useRef(text)
  const store = useDraftFiles()
  const latestName = useLatestName(name, latestText, store)
  const setText = useCallback(
    (next: string) => {
      const before = latestText.current
      latestText.current = next
      setShownText(next)
      keepDraftText(latestName.current, { text: next, before })
    },
    [latestName],
  )
  const { files, areFilesKept, setFiles } = useFiles(store, latestName)
  const takeBackText = useCallback(
    (given: string) => {
      setText([given, latestText.current].filter(each => each.trim() !== '').join('\n\n'))
      document.querySelector<HTMLElement>('[data-shortcut=write]')?.focus()
    },
    [setText],
  )
  const takeBack = useCallback(
    (message: Message) => {
      takeBackText(textOf(message))
      const parts = message.parts.filter(isFilePart)
      if (parts.length > 0) setFiles(known => [...attachmentsFrom(parts), ...known])
    },
    [takeBackText, setFiles],
  )
  return { text, files, areFilesKept, setText, setFiles, takeBack, takeBackText }
}

/** The files of a draft. */
function useFiles(
  store: DraftFiles,
  latestName: RefObject<string>,
): Pick<Draft, 'files' | 'areFilesKept' | 'setFiles'> {
  const [files, setShownFiles] = useState(() => store.of(latestName.current))
  const [areFilesKept, setAreFilesKept] = useState(true)
  const setFiles = useCallback(
    (change: Parameters<Draft['setFiles']>[0], isKept = false) => {
      const name = latestName.current
      const next = change(store.of(name))
      store.show(name, next)
      setShownFiles(next)
      if (!isKept) void store.keep(name).then(setAreFilesKept)
    },
    [store, latestName],
  )
  const isReading = files.includes(beingRead)
  useEffect(() => {
    if (!isReading) return
    const name = latestName.current
    const show = (kept: readonly Attachment[]) => {
      // Nothing is written when nothing was added meanwhile: another tab may have added files to the draft since.
      const isKept = latestName.current === name && store.of(name).length === 1
      setFiles(known => known.flatMap(file => (file === beingRead ? kept : file)), isKept)
    }
    void store.read(name).then(show)
  }, [isReading, store, latestName, setFiles])
  return { files, areFilesKept, setFiles }
}

/**
 * Returns the name of the draft, also for what began under the name before: a new chat gets its own with its first
 * message, and a file may still be read then. What is written goes on under the new name.
 */
function useLatestName(name: string, text: RefObject<string>, store: DraftFiles): RefObject<string> {
  const latest = useRef(name)
  useLayoutEffect(() => {
    const from = latest.current
    if (from === name) return
    latest.current = name
    keepDraftText(from, { text: '', before: text.current })
    if (text.current !== '') keepDraftText(name, { text: text.current, before: '' })
    store.move(from, name)
  }, [name, text, store])
  return latest
}

// The text of a draft is kept twice. In `localStorage` it outlives its tab, but all tabs share it: the one that has written
// last wins. In `sessionStorage` each tab has its own, so that a reload brings back what was typed in this tab.

/** Returns the text of a draft: what was typed in this tab, or else what another tab has left. */
function draftText(name: string): string {
  const key = textKeyOf(name)
  return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? ''
}

/** Keeps the text of a draft. `before` is what it was. An empty text removes it, but not what another tab has written. */
function keepDraftText(
  name: string,
  { text, before }: { readonly text: string; readonly before: string },
): void {
  const key = textKeyOf(name)
  if (text !== '') {
    sessionStorage.setItem(key, text)
    localStorage.setItem(key, text)
    return
  }
  sessionStorage.removeItem(key)
  if (localStorage.getItem(key) === before) localStorage.removeItem(key)
}

function textKeyOf(name: string): string {
  return `throughline.draft.${name}`
}
