import { BlockChunker } from './block-chunker.ts'
import type { Block } from './blocks.ts'
import type { BlockChunkerOptions } from './chunk-limits.ts'

/** Returns the blocks of a whole text. With `after`, cuts as if the blocks of that other text came before. */
export function blocksOf(
  text: string,
  options: BlockChunkerOptions,
  { after = '' }: { readonly after?: string | undefined } = {},
): Block[] {
  const blocks: Block[] = []
  const chunker = new BlockChunker(options)
  chunker.goOnAfter(after)
  chunker.append(text)
  chunker.drain({ force: true, emit: block => blocks.push(block) })
  return blocks
}
