import { useId, useRef } from 'react'
import type { Block } from './block.ts'
import { FootnoteScope } from './footnote.tsx'
import { TopHeading } from './heading.tsx'
import { blocksIn, noBlocks, splitBlocks } from './split-blocks.ts'
import { TextSection } from './text-section.tsx'
import { useCatchUp } from './use-catch-up.ts'

const blocksPerSection = 24

/** Draws Markdown that may still grow. A finished block is drawn once; only the text after it is drawn again. */
export function Markdown({ text }: { readonly text: string }) {
  const drawn = useCatchUp(text)
  const known = useRef(noBlocks)
  known.current = splitBlocks(drawn, known.current)
  const sections = sectionsOf(blocksIn(known.current))
  return (
    <FootnoteScope value={useId()}>
      <TopHeading value={known.current.topHeading}>
        <div className="prose min-w-0 break-words">
          {sections.map((blocks, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sections are only added at the end, so an index never changes
            <TextSection key={index} blocks={blocks} isFirst={index === 0} isNew={drawn === text} />
          ))}
        </div>
      </TopHeading>
    </FootnoteScope>
  )
}

function sectionsOf(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const count = Math.ceil(blocks.length / blocksPerSection)
  return Array.from({ length: count }, (_, index) =>
    blocks.slice(index * blocksPerSection, (index + 1) * blocksPerSection),
  )
}
