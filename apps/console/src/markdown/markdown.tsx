import { memo, useId, useRef } from 'react'
import { offScreenSize } from '../off-screen-size.ts'
import type { Block } from './block.ts'
import { BlockView } from './block-view.tsx'
import { FootnoteScope } from './footnote.tsx'
import { TopHeading } from './heading.tsx'
import { blocksIn, noBlocks, splitBlocks } from './split-blocks.ts'
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
            <Section key={index} blocks={blocks} isFirst={index === 0} />
          ))}
        </div>
      </TopHeading>
    </FootnoteScope>
  )
}

interface SectionProps {
  readonly blocks: readonly Block[]
  /** Whether it is the first one, which may be the whole text. The browser skips it only together with its message. */
  readonly isFirst: boolean
}

/**
 * A group of blocks. React does not compare its blocks while none has changed; off the screen the browser skips it. Its
 * class never changes: that would cost the more, the longer the text is, and what is on the screen would jump.
 */
const Section = memo(
  function Section({ blocks, isFirst }: SectionProps) {
    const charCount = blocks.reduce((sum, { pieces }) => sum + pieces.join('').length, 0)
    return (
      <section className={isFirst ? '' : 'off-screen'} style={isFirst ? {} : offScreenSize(charCount)}>
        {blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end, so an index never changes
          <BlockView key={index} block={block} />
        ))}
      </section>
    )
  },
  (before, after) =>
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
)

function sectionsOf(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const count = Math.ceil(blocks.length / blocksPerSection)
  return Array.from({ length: count }, (_, index) =>
    blocks.slice(index * blocksPerSection, (index + 1) * blocksPerSection),
  )
}
