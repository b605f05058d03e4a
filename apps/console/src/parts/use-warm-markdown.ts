import { useEffect } from 'react'
import { parseMarkdown, renderTrees } from '../markdown/render-tokens.tsx'

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
