import { closingOf, fenceAfterText } from './fences.ts'

/**
 * A piece of an answer, short enough to be one message of a channel.
 *
 * Only `text` is sent. The other fields say how it follows from the answer, so that `joinBlocks` gives the answer
 * back to the letter.
 */
export interface Block {
  /**
   * What stood between the block before, or the answer's beginning, and this one: whitespace, and the closing
   * line of a fence if that had been added to the block before already.
   */
  readonly before: string
  readonly text: string
  /** What was added at the text's start to go on in a fence: the line that opened it, or nothing. */
  readonly reopening: string
  /** What was added at the text's end to close a fence that goes on, or nothing. */
  readonly closing: string
}

export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(block => block.before + ownText(block)).join('')
}

/** Two blocks that follow each other, as one. A fence that was closed and reopened between them is whole again. */
export function mergeBlocks(first: Block, second: Block): Block {
  const { before, reopening } = first
  const text = reopening + ownText(first) + second.before + ownText(second)
  // Not the second one's closing line: there, the fence may have been opened again with fewer markers.
  const open = fenceAfterText(undefined, text)
  const closing = open === undefined ? '' : closingOf(open)
  return { before, text: text + closing, reopening, closing }
}

/** The part of a block's text that is the answer's own. */
export function ownText({ text, reopening, closing }: Omit<Block, 'before'>): string {
  return text.slice(reopening.length, text.length - closing.length)
}
