import type { Transcript } from './transcript.ts'

/** What a client shows, as plain data. */
export interface Shown {
  /** In the client's own form. */
  readonly messages: readonly unknown[]
  /** Whether the client waits for more. */
  readonly isBusy: boolean
  /** What the client says went wrong. */
  readonly failure?: string | undefined
  /** Whatever else the client shows, in its own form. */
  readonly more?: unknown
}

/** What the messages of a client mean. */
export type Read = (shown: Shown) => Transcript
