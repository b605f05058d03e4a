import type { EndStatus } from '@throughline/protocol'
import type { Block } from '../cutting/blocks.ts'
import type { ToolApproval } from '../ports/channel.ts'

/** A tool call that waits for a person, or has waited, as far as the log tells. */
export type ApprovalInLog = Omit<ToolApproval, 'isAskedHere'>

/** What happens before the text of an answer, between two pieces of it, or at its end. */
export type ReplyMark =
  | { readonly type: 'start'; readonly runId: string; readonly userMessageId: string | undefined }
  | { readonly type: 'tool'; readonly toolCallId: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'file'; readonly url: string }
  /** `isTextOpen`: an agent is in the middle of a text. The text must not be cut there. */
  | { readonly type: 'approval'; readonly approval: ApprovalInLog; readonly isTextOpen: boolean }
  | {
      readonly type: 'end'
      readonly status: EndStatus
      /** Why the answer ended, in words. It is missing when there is nothing to say about it. */
      readonly text: string | undefined
      /** The number of the entry that ends the answer. */
      readonly seq: number
    }

export interface TextBefore {
  /** The whole text of the answer before the mark. */
  readonly said: string
}

/** The text of an answer, piece by piece, with the marks between the pieces. */
export type ReplyPart =
  | { readonly type: 'text'; readonly text: string }
  /** Everything that was in the log has been read. More may come at any time. */
  | { readonly type: 'pause' }
  | (ReplyMark & TextBefore)

/** The blocks of an answer, with the marks between them. */
export type BlockPart =
  | { readonly type: 'block'; readonly block: Block }
  /** The block that is not complete yet, as it is now. Only for messages that grow. */
  | { readonly type: 'partial'; readonly block: Block }
  | (Exclude<ReplyMark, { type: 'approval' }> & TextBefore)
  | (ApprovalMark & TextBefore & { readonly cutAt: number })

/** `cutAt`: how many characters of the text before it were given out in blocks. */
type ApprovalMark = Extract<ReplyMark, { type: 'approval' }>
