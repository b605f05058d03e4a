import { type FilePart, isFilePart, type Message, textOf } from '@throughline/protocol'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Attachment } from '../compose/attachment.ts'
import { markOf } from '../compose/file-marks.ts'
import { attachmentsFrom, keepFiles, keptFiles } from '../compose/kept-files.ts'
import { draftText, keepDraftText } from './draft-text.ts'

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

// The files of the drafts that this page has shown. The browser keeps them, too, but not if they are too large.
const filesOf = new Map<string, readonly Attachment[]>()
/** Stands for the files that the browser has kept, until they are read. A draft cannot be sent without them. */
const beingRead: Attachment = { id: 0, name: '', size: 0, problem: 'reading' }

/** Keeps the draft of a chat in this browser, under a name. It is there again after a reload, until it is sent. */
export function useDraft(name: string): Draft {
  const [text, setShownText] = useState(() => draftText(name))
  // A message may come back after a while. By then the person has written more.
  const latestText = useRef(text)
  const latestName = useLatestName(name, latestText)
  const setText = useCallback(
    (next: string) => {
      const before = latestText.current
      latestText.current = next
      setShownText(next)
      keepDraftText(latestName.current, { text: next, before })
    },
    [latestName],
  )
  const { files, areFilesKept, setFiles } = useFiles(latestName)
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
function useFiles(latestName: RefObject<string>): Pick<Draft, 'files' | 'areFilesKept' | 'setFiles'> {
  const [files, setShownFiles] = useState(() => filesIn(latestName.current))
  const [areFilesKept, setAreFilesKept] = useState(true)
  const setFiles = useCallback(
    (change: Parameters<Draft['setFiles']>[0], isKept = false) => {
      const name = latestName.current
      const next = change(filesIn(name))
      filesOf.set(name, next)
      setShownFiles(next)
      if (!isKept) void keep(name).then(setAreFilesKept)
    },
    [latestName],
  )
  const isReading = files.includes(beingRead)
  useEffect(() => {
    if (!isReading) return
    const name = latestName.current
    const show = (kept: readonly Attachment[]) => {
      // Nothing is written when nothing was added meanwhile: another tab may have added files to the draft since.
      const isKept = latestName.current === name && filesIn(name).length === 1
      setFiles(known => known.flatMap(file => (file === beingRead ? kept : file)), isKept)
    }
    void keptFiles(name).then(show)
  }, [isReading, latestName, setFiles])
  return { files, areFilesKept, setFiles }
}

/**
 * Returns the name of the draft, also for what began under the name before: a new chat gets its own with its first
 * message, and a file may still be read then. What is written goes on under the new name.
 */
function useLatestName(name: string, text: RefObject<string>): RefObject<string> {
  const latest = useRef(name)
  useLayoutEffect(() => {
    const from = latest.current
    if (from === name) return
    latest.current = name
    keepDraftText(from, { text: '', before: text.current })
    if (text.current !== '') keepDraftText(name, { text: text.current, before: '' })
    const files = filesIn(from)
    filesOf.set(name, files)
    filesOf.delete(from)
    void keep(name)
    void keep(from)
  }, [name, text])
  return latest
}

function filesIn(name: string): readonly Attachment[] {
  return filesOf.get(name) ?? (localStorage.getItem(markOf(name)) === null ? [] : [beingRead])
}

/** Keeps the files that the draft has now and that can be sent. Returns false when they cannot be kept. */
async function keep(name: string): Promise<boolean> {
  const mark = markOf(name)
  if (partsIn(name).length === 0 && localStorage.getItem(mark) === null) return true
  try {
    // At once: if the files are sent before they are kept, they are forgotten nevertheless.
    localStorage.setItem(mark, `${Date.now()} 0`)
    return (filesOf.get(name)?.includes(beingRead) ?? false) || (await keepFiles(name, partsIn(name)))
  } catch {
    return false
  }
}

function partsIn(name: string): readonly FilePart[] {
  return (filesOf.get(name) ?? []).flatMap(({ part }) => part ?? [])
}
