import { useRef } from 'react'
import { BlockView } from './block-view.tsx'
import { blocksIn, noBlocks, splitBlocks } from './split-blocks.ts'
import { useCatchUp } from './use-catch-up.ts'

/** Markdown that may still be growing: finished blocks are drawn once, only what follows them again and again. */
export function Markdown({ text }: { readonly text: string }) {
  const drawn = useCatchUp(text)
  const blocks = useRef(noBlocks)
  blocks.current = splitBlocks(drawn, blocks.current)
  return (
    <div className="prose min-w-0 break-words">
      {blocksIn(blocks.current).map((block, index) => (
        // Blocks are only ever added at the end, so their place is their identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <BlockView key={index} block={block} />
      ))}
    </div>
  )
}
