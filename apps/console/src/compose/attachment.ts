import type { FilePart } from '@throughline/protocol'

/** A file that a person is about to send. */
export interface Attachment {
  /** Unique on this page. */
  readonly id: number
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** `reading`: not ready yet. Any other word says why the file cannot be sent. */
  readonly problem?: 'reading' | 'too-large' | 'kind' | 'too-many' | 'empty' | 'unreadable' | undefined
  /** What is sent; `undefined` while there is a problem. */
  readonly part?: FilePart | undefined
}

// A counter for the whole page: files of several drafts are read and drawn at the same time.
let lastId = 0

/** Returns the id for another attachment. */
export function nextAttachmentId(): number {
  lastId += 1
  return lastId
}

/** Returns parts of a message as files of a draft. */
export function attachmentsFrom(parts: readonly FilePart[]): readonly Attachment[] {
  return parts.map(part => ({
    id: nextAttachmentId(),
    name: part.filename ?? part.mediaType,
    size: sizeOf(part.url),
    part,
  }))
}

/** Returns files as files of a draft that cannot be sent, because nothing is there to read them. */
export function unreadableFiles(files: readonly File[]): readonly Attachment[] {
  return files.map(({ name, size }) => ({ id: nextAttachmentId(), name, size, problem: 'unreadable' }))
}

/** Returns about how many bytes a data URL in base64 has. */
function sizeOf(url: string): number {
  return Math.round(((url.length - url.indexOf(',')) * 3) / 4)
}
