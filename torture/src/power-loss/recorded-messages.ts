import { isRecord } from '@throughline/protocol'

/** What a recorded process is told to do. One thing at a time. */
export type RecordedRequest =
  /** Opens the store in a folder, and starts a server. Its channel posts to `hookUrl`. */
  | { readonly type: 'serve'; readonly folder: string; readonly hookUrl: string }
  /** Makes a backup while the server runs. */
  | { readonly type: 'back-up'; readonly target: string }
  /** Makes a backup, as the command does when no server runs. */
  | { readonly type: 'back-up-stopped'; readonly folder: string; readonly target: string }
  /** Makes the database of a folder small, as the command does. */
  | { readonly type: 'compact'; readonly folder: string }
  /** Closes the server and the store, as a signal does. */
  | { readonly type: 'close' }

/** The process has done it. `url` is the server's, if one was started. */
export type RecordedReply =
  | { readonly type: 'done'; readonly url?: string | undefined }
  | { readonly type: 'failed'; readonly message: string }

const types = ['serve', 'back-up', 'back-up-stopped', 'compact', 'close']

export function isRecordedRequest(value: unknown): value is RecordedRequest {
  return isRecord(value) && types.includes(String(value['type']))
}

export function isRecordedReply(value: unknown): value is RecordedReply {
  return isRecord(value) && ['done', 'failed'].includes(String(value['type']))
}
