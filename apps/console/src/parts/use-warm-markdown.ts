import { useEffect } from 'react'
import { parseMarkdown, renderTrees } from '../markdown/render-tokens.tsx'
import { noBlocks, splitBlocks } from '../markdown/split-blocks.ts'

const sample =
  '## Heading\n\nText **bold** `code` [link](https://example.com)\n\n- item\n- item\n\n```js\ncode\n```\n'
const delayMs = 200

/**
 * Soon after the page is there, reads some Markdown and shows it nowhere. Then the browser has compiled the code before the
 * first answer comes, and draws its beginning sooner.
 */
export function useWarmMarkdown(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      splitBlocks(sample, noBlocks)
      renderTrees(parseMarkdown(sample))
    }, delayMs)
    return () => clearTimeout(timer)
  }, [])
}
