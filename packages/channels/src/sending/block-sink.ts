import type { Block } from '../cutting/blocks.ts'
import type { Post } from './post.ts'

/** A line about something that goes on. It is sent once and is not saved, because later it is of no use. */
export interface Notice {
  /** Tells the notices of a run apart. A notice is sent once per key. */
  readonly key: string
  readonly text: string
}

/** Brings an answer to its channel while the answer is being written. */
export interface BlockSink {
  /** Takes a block that is complete, or a file. */
  send(post: Post): Promise<void>
  notify(notice: Notice): Promise<void>
  /** Shows the block that is not complete yet. Only messages that grow can do this. */
  show?(partial: Block): Promise<unknown>
}
