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
