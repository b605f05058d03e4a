import { memo, use, useRef } from 'react'
import { NearContext } from '../off-screen/near-context.ts'
import { sizeUntilDrawn } from '../off-screen/off-screen-size.ts'
import { useIsNear } from '../off-screen/use-is-near.ts'
import type { Block } from './block.ts'
import { BlockView } from './block-view.tsx'
import { estimateHeight } from './estimate-height.ts'

interface Props {
  readonly blocks: readonly Block[]
  /** Whether it is the first one, which may be the whole text. The browser skips it only together with its message. */
  readonly isFirst: boolean
  /** Whether it was just written, so the person probably sees it. Otherwise it is part of a text that is drawn again. */
  readonly isNew: boolean
}

/**
 * A group of blocks. React does not compare its blocks while none has changed; off the screen the browser skips it. Its
 * class never changes: that would cost the more, the longer the text is, and what is on the screen would jump.
 */
export const TextSection = memo(
  function TextSection({ blocks, isFirst, isNew }: Props) {
    const box = useRef<HTMLElement>(null)
    const isNear = useIsNear(box, isFirst || isNew)
    const isMessageNear = use(NearContext)
    return (
      <section
        ref={box}
        className={isFirst ? '' : 'off-screen'}
        style={sizeUntilDrawn(estimateHeight(blocks))}
      >
        <NearContext value={isNear && isMessageNear}>
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end, so an index never changes
            <BlockView key={index} block={block} />
          ))}
        </NearContext>
      </section>
    )
  },
  (before, after) =>
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => block === after.blocks[index]),
)
