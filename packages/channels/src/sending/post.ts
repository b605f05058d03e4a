import { type Block, joinBlocks } from '../cutting/blocks.ts'
import type { ToolApproval } from '../ports/channel.ts'

/**
 * One message to a channel, in the form in which the outbox keeps it. It is a block of the answer's text, or a file, or
 * a notice, or an approval.
 */
export interface Post {
  readonly text?: string | undefined
  /** `before`, `reopening` and `closing` are those of a block. */
  readonly before?: string | undefined
  readonly reopening?: string | undefined
  readonly closing?: string | undefined
  /** The address of a file. */
  readonly media?: readonly string[] | undefined
  /** The inbound message that this one is a reply to. Only the first post of a run has it. */
  readonly replyTo?: string | undefined
  /** True for the notice that tells how a run ended. It is not part of the answer's text. */
  readonly isStatus?: boolean | undefined
  /** A tool call that waits for a person, or what became of it. It is not part of the answer's text. */
  readonly approval?: ToolApproval | undefined
}

/** Whether a post is a block of the answer's text. */
export function isBlock({ isStatus, media, approval }: Post): boolean {
  return isStatus !== true && media === undefined && approval === undefined
}

/**
 * Posts with the same key are the same message, whichever process made them. Blocks have no key: an answer may say the
 * same twice, and both count.
 */
export function payloadKey({ isStatus, media, approval }: Post): string | undefined {
  if (approval !== undefined)
    return `approval ${approval.id} ${approval.outcome === undefined ? 'asked' : 'settled'}`
  // A run ends once.
  if (isStatus === true) return 'end'
  return media === undefined ? undefined : `media ${media.join(' ')}`
}

/** How many characters of the answer's text these posts cover, with what stands between them. */
export function reachOf(posts: readonly Post[]): number {
  return joinBlocks(posts.filter(isBlock).map(blockIn)).length
}

/** Returns a block with all its fields. */
export function blockIn({ before = '', text = '', reopening = '', closing = '' }: Post): Block {
  return { before, text, reopening, closing }
}

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
