import { memo, use, useEffect, useId, useLayoutEffect, useReducer, useRef } from 'react'
import { NearContext } from '../off-screen/near-context.ts'
import { estimateHeight, sizeUntilDrawn } from '../off-screen/off-screen-size.ts'
import { useIsNear } from '../off-screen/use-is-near.ts'
import { BlockView } from './block-view.tsx'
import { FootnoteScope, TopHeading } from './elements.tsx'
import { parseMarkdown, renderTrees } from './render-tokens.tsx'
import { blocksIn, type MarkdownBlock, noBlocks, splitBlocks } from './split-blocks.ts'

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

function sectionsOf(blocks: readonly MarkdownBlock[]): readonly (readonly MarkdownBlock[])[] {
  const count = Math.ceil(blocks.length / blocksPerSection)
  return Array.from({ length: count }, (_, index) =>
    blocks.slice(index * blocksPerSection, (index + 1) * blocksPerSection),
  )
}

interface Props {
  readonly blocks: readonly MarkdownBlock[]
  /** Whether it is the first one, which may be the whole text. The browser skips it only together with its message. */
  readonly isFirst: boolean
  /** Whether it was just written, so the person probably sees it. Otherwise it is part of a text that is drawn again. */
  readonly isNew: boolean
}

/**
 * A group of blocks. React does not compare its blocks while none has changed; off the screen the browser skips it. Its
 * class never changes: that would cost the more, the longer the text is, and what is on the screen would jump.
 */
const TextSection = memo(
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

/** How many characters to draw in the first animation frame: few, because the browser has not compiled the code yet. */
const firstStride = 256
/** The most. It takes a third of a frame, so that the browser can also collect garbage in it. */
const maxStride = 4 * 1024

/**
 * Returns as much of a growing text as can be drawn without blocking the page. Text that comes bit by bit is drawn at
 * once. Much text at once, such as a long answer after a reload, is drawn over several animation frames.
 */
function useCatchUp(text: string): string {
  const drawn = useRef(0)
  const stride = useRef(firstStride)
  const lastFrame = useRef<number>(undefined)
  const [, drawOn] = useReducer((count: number) => count + 1, 0)
  const length = Math.min(text.length, drawn.current + stride.current)
  useLayoutEffect(() => {
    drawn.current = length
    if (length === text.length) {
      lastFrame.current = undefined
      return
    }
    const frame = requestAnimationFrame(time => {
      if (lastFrame.current !== undefined)
        stride.current = nextStride(stride.current, time - lastFrame.current)
      lastFrame.current = time
      drawOn()
    })
    return () => cancelAnimationFrame(frame)
  }, [text, length])
  return text.slice(0, length)
}

/** Returns how many characters to draw in the next animation frame: fewer when the last one took too long. */
function nextStride(stride: number, frameMs: number): number {
  if (frameMs > 34) return Math.max(1024, Math.floor(stride / 2))
  return frameMs < 20 ? Math.min(maxStride, Math.floor(stride * 1.5)) : stride
}

const sample = '## A\n\nA **b** `c` [d](http://a)\n\n- a\n```js\na\n```'

/**
 * As soon as the page is there, reads some Markdown and shows it nowhere. Then the browser has compiled the code before the
 * first answer comes, and draws its beginning sooner.
 */
export function useWarmMarkdown(): void {
  useEffect(() => {
    // After the next frame, not in it: first the page is shown.
    const frame = requestAnimationFrame(() => setTimeout(() => renderTrees(parseMarkdown(sample))))
    return () => cancelAnimationFrame(frame)
  }, [])
}
