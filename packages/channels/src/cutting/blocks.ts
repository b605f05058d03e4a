/**
 * A piece of an answer, short enough to be one message of a channel.
 *
 * Only `text` is sent. The other fields tell how it was made from the answer. With them, `joinBlocks` restores the answer
 * to the letter.
 */
export interface Block {
  /**
   * What stood in the answer between the last block and this one. It is whitespace. It can also be the closing line of a
   * fence, if such a line was added to the last block before.
   */
  readonly before: string
  readonly text: string
  /** The line that was added in front of the text because the block begins inside a fence. Otherwise empty. */
  readonly reopening: string
  /** The line that was added behind the text because the block ends inside a fence. Otherwise empty. */
  readonly closing: string
}

/** Returns the text from which the blocks were cut. */
export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(block => block.before + ownText(block)).join('')
}

/** Returns the text of a block without the lines that were added to it. */
export function ownText({ text, reopening, closing }: Omit<Block, 'before'>): string {
  return text.slice(reopening.length, text.length - closing.length)
}
