import { isFilePart, type Message, textOf } from '@throughline/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Attachment } from '../compose/attachment.ts'
import { markOf } from '../compose/file-marks.ts'

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

export const loadKeptFiles = () => import('../compose/kept-files.ts')

// The files of the drafts that this page has shown. The browser keeps them, too, but not if they are too large.
const filesOf = new Map<string, readonly Attachment[]>()
/** Stands for the files that the browser has kept, until they are read. A draft cannot be sent without them. */
const beingRead: Attachment = { id: 0, name: '', size: 0, problem: 'reading' }

/** Keeps the draft of a chat in this browser, under a name. It is there again after a reload, until it is sent. */
export function useDraft(name: string): Draft {
  useMovedDraft(name)
  const key = keyOf(name)
  const [text, setShownText] = useState(() => localStorage.getItem(key) ?? '')
  const setText = useCallback(
    (next: string) => {
      setShownText(next)
      if (next === '') localStorage.removeItem(key)
      else localStorage.setItem(key, next)
    },
    [key],
  )
  const { files, areFilesKept, setFiles } = useFiles(name)
  // A message may come back after a while. By then the person has written more.
  const latestText = useRef(text)
  latestText.current = text
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
      if (parts.length > 0)
        void loadKeptFiles().then(({ attachmentsFrom }) =>
          setFiles(known => [...attachmentsFrom(parts), ...known]),
        )
    },
    [takeBackText, setFiles],
  )
  return { text, files, areFilesKept, setText, setFiles, takeBack, takeBackText }
}

/** The files of a draft. */
function useFiles(name: string): Pick<Draft, 'files' | 'areFilesKept' | 'setFiles'> {
  const [files, setShownFiles] = useState(() => filesIn(name))
  const [areFilesKept, setAreFilesKept] = useState(true)
  const setFiles: Draft['setFiles'] = useCallback(
    change => {
      const next = change(filesIn(name))
      filesOf.set(name, next)
      setShownFiles(next)
      void keep(name, next).then(setAreFilesKept)
    },
    [name],
  )
  const isReading = files.includes(beingRead)
  useEffect(() => {
    if (!isReading) return
    const show = (kept: readonly Attachment[]) =>
      setFiles(known => known.flatMap(file => (file === beingRead ? kept : file)))
    loadKeptFiles()
      .then(({ keptFiles }) => keptFiles(name))
      .then(show, () => show([]))
  }, [isReading, name, setFiles])
  return { files, areFilesKept, setFiles }
}

/** A new chat gets its name with its first message. What is written meanwhile goes on under that name. */
function useMovedDraft(name: string): void {
  const before = useRef(name)
  useEffect(() => {
    const from = before.current
    before.current = name
    if (from === name) return
    const text = localStorage.getItem(keyOf(from))
    if (text !== null) localStorage.setItem(keyOf(name), text)
    localStorage.removeItem(keyOf(from))
    const files = filesOf.get(from) ?? []
    filesOf.set(name, files)
    filesOf.delete(from)
    void keep(name, files)
    void keep(from, [])
  }, [name])
}

function keyOf(name: string): string {
  return `throughline.draft.${name}`
}

function filesIn(name: string): readonly Attachment[] {
  return filesOf.get(name) ?? (localStorage.getItem(markOf(name)) === null ? [] : [beingRead])
}

/** Keeps the files that can be sent. Returns false when they cannot be kept. */
async function keep(name: string, files: readonly Attachment[]): Promise<boolean> {
  const parts = files.flatMap(({ part }) => part ?? [])
  const mark = markOf(name)
  if (files.includes(beingRead) || (parts.length === 0 && localStorage.getItem(mark) === null)) return true
  try {
    // At once: if the files are sent before they are kept, they are forgotten nevertheless.
    localStorage.setItem(mark, `${Date.now()} 0`)
    return await (await loadKeptFiles()).keepFiles(name, parts)
  } catch {
    return false
  }
}
