import { useEffect } from 'react'
import { parseMarkdown, renderTrees } from '../markdown/render-tokens.tsx'
import { noBlocks, splitBlocks } from '../markdown/split-blocks.ts'

const sample =
  '## Heading\n\nText **bold** `code` [link](https://example.com)\n\n- item\n- item\n\n```js\ncode\n```\n'

/**
 * As soon as the page is there, reads some Markdown and shows it nowhere. Then the browser has compiled the code before the
 * first answer comes, and draws its beginning sooner.
 */
export function useWarmMarkdown(): void {
  useEffect(() => {
    let timer: number | undefined
    const frame = requestAnimationFrame(() => {
      // After this frame, not in it: first the page is shown.
      timer = window.setTimeout(readSample)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [])
}

function readSample(): void {
  splitBlocks(sample, noBlocks)
  renderTrees(parseMarkdown(sample))
}
