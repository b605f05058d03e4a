import type { FilePart } from '@throughline/protocol'
import { createContext, useContext } from 'react'
import { draftDatabase } from '../server/access.ts'
import { type Attachment, attachmentsFrom } from './attachment.ts'

/** Stands for the files that the browser has kept, until they are read. A draft cannot be sent without them. */
export const beingRead: Attachment = { id: 0, name: '', size: 0, problem: 'reading' }

/**
 * The files of all drafts, by the name of the draft: those that this page shows, and those that the browser keeps in a
 * database. There is one for the page. So a chat has its files when it is shown again, also those that are too large to be
 * kept.
 */
export class DraftFiles {
  readonly #shown = new Map<string, readonly Attachment[]>()
  // A mutex: the database is changed and read by one request after the other, in the order in which they came.
  #last: Promise<unknown> = Promise.resolve()

  /** Returns the files of a draft. Until `read` has been called, those that the browser keeps are `beingRead`. */
  of(name: string): readonly Attachment[] {
    return this.#shown.get(name) ?? (isMarked(name) ? [beingRead] : [])
  }

  show(name: string, files: readonly Attachment[]): void {
    this.#shown.set(name, files)
  }

  /** Gives the files of a draft to another one. */
  move(from: string, to: string): void {
    this.#shown.set(to, this.of(from))
    this.#shown.delete(from)
    void this.keep(to)
    void this.keep(from)
  }

  /** Returns the files that the browser keeps for a draft; none when they cannot be read. */
  read(name: string): Promise<readonly Attachment[]> {
    return this.#inTurn(async () => {
      await forgetOld()
      const parts: unknown = await inStore('readonly', store => store.get(name)).catch(() => undefined)
      if (Array.isArray(parts)) return attachmentsFrom(parts)
      localStorage.removeItem(markOf(name))
      return []
    })
  }

  /** Has the browser keep the files that the draft has now and that can be sent. Returns false when it cannot. */
  async keep(name: string): Promise<boolean> {
    const files = this.#shown.get(name) ?? []
    const parts = files.flatMap(({ part }) => part ?? [])
    if (parts.length === 0 && !isMarked(name)) return true
    try {
      // At once: if the files are sent before they are kept, they are forgotten nevertheless.
      markKept(name, 0)
      return files.includes(beingRead) || (await this.#inTurn(() => keepParts(name, parts)))
    } catch {
      return false
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}

const DraftFilesContext = createContext<DraftFiles | undefined>(undefined)

/** Gives the files of drafts to the chats inside of it. */
export const DraftFilesProvider = DraftFilesContext.Provider

/** Returns the files of drafts. Throws outside of a `DraftFilesProvider`. */
export function useDraftFiles(): DraftFiles {
  const files = useContext(DraftFilesContext)
  if (files === undefined) throw new Error('useDraftFiles needs a DraftFilesProvider around it.')
  return files
}

/** How much the files of all drafts may have together, in characters of their data URLs: about 45 MB of files. */
const maxKeptChars = 60 * 1024 * 1024
/** After this time, the files of a draft that nobody has touched are forgotten, in milliseconds. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000
const storeName = 'files'

/**
 * Keeps the files of a draft, in place of those that it had. Returns false when they are too large. Then nothing of the
 * draft is kept.
 */
async function keepParts(name: string, parts: readonly FilePart[]): Promise<boolean> {
  await forgetOld()
  const chars = parts.reduce((sum, { url }) => sum + url.length, 0)
  const others = fileMarks().reduce((sum, mark) => sum + (mark.name === name ? 0 : mark.chars), 0)
  if (chars === 0 || chars + others > maxKeptChars) {
    await forget(name)
    return chars === 0
  }
  try {
    await inStore('readwrite', store => store.put(parts, name))
    markKept(name, chars)
    return true
  } catch {
    // The browser has no room, or allows no database.
    await forget(name).catch(() => undefined)
    return false
  }
}

/** Forgets files that nobody has touched for long, and those without a mark: a sign-out may not have reached them. */
async function forgetOld(): Promise<void> {
  for (const { name, at } of fileMarks())
    if (at < Date.now() - maxAgeMs) localStorage.removeItem(markOf(name))
  try {
    // Looked up now, and not before: another tab marks a draft before it writes the files of it.
    for (const name of await inStore('readonly', store => store.getAllKeys()))
      if (!isMarked(String(name))) await inStore('readwrite', store => store.delete(name))
  } catch {
    // The browser allows no database at the moment. The next time will do.
  }
}

async function forget(name: string): Promise<void> {
  localStorage.removeItem(markOf(name))
  await inStore('readwrite', store => store.delete(name))
}

/** Opens the database for one request, and closes it again, so that it can be deleted when the person signs out. */
async function inStore<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(draftDatabase)
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
  await untilDone(opening)
  const database = opening.result
  try {
    const transaction = database.transaction(storeName, mode)
    const request = ask(transaction.objectStore(storeName))
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    return request.result
  } finally {
    database.close()
  }
}

function untilDone(request: IDBRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

/** Says that files of a draft are kept. It is in the storage of the page, which can be read at once. */
interface FileMark {
  /** The name of the draft. */
  readonly name: string
  /** When they were kept, in milliseconds since 1970. */
  readonly at: number
  /** How many characters their data URLs have. */
  readonly chars: number
}

const prefix = 'throughline.files.'

/** Returns whether files of a draft are kept. */
function isMarked(name: string): boolean {
  return localStorage.getItem(markOf(name)) !== null
}

/** Says that files of a draft are kept. Throws when the storage is full. */
function markKept(name: string, chars: number): void {
  localStorage.setItem(markOf(name), `${Date.now()} ${chars}`)
}

/** Returns the key of a draft's mark. */
function markOf(name: string): string {
  return prefix + name
}

/** Returns the marks of all drafts with files. */
function fileMarks(): readonly FileMark[] {
  return Object.entries(localStorage).flatMap(([key, value]) => {
    if (!key.startsWith(prefix)) return []
    const [at = 0, chars = 0] = String(value).split(' ').map(Number)
    return { name: key.slice(prefix.length), at, chars }
  })
}
