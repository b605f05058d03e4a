import type { FilePart } from '@throughline/protocol'
import { draftDatabase } from '../settings/forget-person.ts'
import type { Attachment } from './attachment.ts'
import { fileMarks, markOf } from './file-marks.ts'

/** How much the files of all drafts may have together, in characters of their data URLs: about 45 MB of files. */
const maxKeptChars = 60 * 1024 * 1024
/** Files of a draft that nobody has touched for so long are forgotten, in milliseconds. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000
const storeName = 'files'

// Changes and reads happen one after the other, in the order in which they were asked for.
let last: Promise<unknown> = Promise.resolve()

/**
 * Keeps the files of a draft in this browser, in place of those that it had. Returns false when they are too large. Then
 * nothing of the draft is kept.
 */
export function keepFiles(name: string, parts: readonly FilePart[]): Promise<boolean> {
  return inTurn(async () => {
    await forgetOld()
    const chars = parts.reduce((sum, { url }) => sum + url.length, 0)
    const others = fileMarks().reduce((sum, mark) => sum + (mark.name === name ? 0 : mark.chars), 0)
    if (chars === 0 || chars + others > maxKeptChars) {
      await forget(name)
      return chars === 0
    }
    try {
      await inStore('readwrite', store => store.put(parts, name))
      localStorage.setItem(markOf(name), `${Date.now()} ${chars}`)
      return true
    } catch {
      // The browser has no room, or allows no database.
      await forget(name).catch(() => undefined)
      return false
    }
  })
}

/** Returns the files of a draft that were kept; none when they cannot be read. */
export function keptFiles(name: string): Promise<readonly Attachment[]> {
  return inTurn(async () => {
    await forgetOld()
    const parts: unknown = await inStore('readonly', store => store.get(name)).catch(() => undefined)
    if (Array.isArray(parts)) return attachmentsFrom(parts)
    localStorage.removeItem(markOf(name))
    return []
  })
}

// Not among the ids of files that were just added, which are positive.
let lastId = 0

/** Returns parts of a message as files of a draft. */
export function attachmentsFrom(parts: readonly FilePart[]): readonly Attachment[] {
  return parts.map(part => {
    lastId -= 1
    return { id: lastId, name: part.filename ?? part.mediaType, size: sizeOf(part.url), part }
  })
}

/** Returns files as files of a draft that cannot be sent, because nothing is there to read them. */
export function unreadableFiles(files: readonly File[]): readonly Attachment[] {
  return files.map(({ name, size }) => {
    lastId -= 1
    return { id: lastId, name, size, problem: 'unreadable' }
  })
}

/** Returns about how many bytes a data URL in base64 has. */
function sizeOf(url: string): number {
  return Math.round(((url.length - url.indexOf(',')) * 3) / 4)
}

/** Forgets files that nobody has touched for long, and those without a mark: a sign-out may not have reached them. */
async function forgetOld(): Promise<void> {
  for (const { name, at } of fileMarks())
    if (at < Date.now() - maxAgeMs) localStorage.removeItem(markOf(name))
  try {
    // Looked up now, and not before: another tab marks a draft before it writes the files of it.
    for (const name of await inStore('readonly', store => store.getAllKeys()))
      if (localStorage.getItem(markOf(String(name))) === null)
        await inStore('readwrite', store => store.delete(name))
  } catch {
    // The browser allows no database at the moment. The next time will do.
  }
}

async function forget(name: string): Promise<void> {
  localStorage.removeItem(markOf(name))
  await inStore('readwrite', store => store.delete(name))
}

function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work)
  last = result.catch(() => undefined)
  return result
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
