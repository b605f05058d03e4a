import { isFilePart, type Message, textOf } from '@throughline/protocol'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Attachment } from '../compose/attachment.ts'

/** What a person has written in a chat and not sent yet. */
export interface Draft {
  readonly text: string
  readonly files: readonly Attachment[]
  setText(text: string): void
  setFiles(change: (files: readonly Attachment[]) => readonly Attachment[]): void
  /** Puts a message back into the draft, before what is there. */
  takeBack(message: Message): void
  /** Puts a text back into the draft, before what is there. */
  takeBackText(text: string): void
}

// Too large for the storage of the browser. So files stay when another chat is shown, but not when the page is reloaded.
const filesOf = new Map<string, readonly Attachment[]>()
let takenBack = 0

/** Keeps the draft of a chat in this browser, under a name. It is there again after a reload, until it is sent. */
export function useDraft(name: string): Draft {
  const key = keyOf(name)
  useMovedDraft(name)
  const [text, setShownText] = useState(() => localStorage.getItem(key) ?? '')
  const [files, setShownFiles] = useState(() => filesOf.get(name) ?? [])
  const setText = useCallback(
    (next: string) => {
      setShownText(next)
      if (next === '') localStorage.removeItem(key)
      else localStorage.setItem(key, next)
    },
    [key],
  )
  const setFiles: Draft['setFiles'] = useCallback(
    change =>
      setShownFiles(known => {
        const next = change(known)
        filesOf.set(name, next)
        return next
      }),
    [name],
  )
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
      setFiles(known => [...attachmentsOf(message), ...known])
    },
    [takeBackText, setFiles],
  )
  return { text, files, setText, setFiles, takeBack, takeBackText }
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
    filesOf.set(name, filesOf.get(from) ?? [])
    filesOf.delete(from)
  }, [name])
}

function keyOf(name: string): string {
  return `throughline.draft.${name}`
}

function attachmentsOf({ parts }: Message): readonly Attachment[] {
  return parts.filter(isFilePart).map(part => {
    takenBack -= 1
    return { id: takenBack, name: part.filename ?? part.mediaType, size: sizeOf(part.url), part }
  })
}

/** Returns about how many bytes a data URL in base64 has. */
function sizeOf(url: string): number {
  return Math.round(((url.length - url.indexOf(',')) * 3) / 4)
}
