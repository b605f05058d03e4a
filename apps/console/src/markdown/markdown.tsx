import { memo, useRef } from 'react'
import { renderMarkdown } from './render-tokens.tsx'
import { noBlocks, splitBlocks } from './split-blocks.ts'

/** Markdown that may still be growing: finished blocks are drawn once, only the last one again and again. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useRef(noBlocks)
  blocks.current = splitBlocks(text, blocks.current)
  const { finished, tail } = blocks.current
  return (
    <div className="prose min-w-0 break-words">
      {[...finished, tail].map((source, index) => (
        // Blocks are only ever added at the end, so their place is their identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Block key={index} source={source} />
      ))}
    </div>
  )
}

const Block = memo(function Block({ source }: { readonly source: string }) {
  return renderMarkdown(source)
})
