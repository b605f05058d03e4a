import { useEffect, useState } from 'react'

interface Copy {
  /** Browsers have a clipboard on https and localhost only. */
  readonly canCopy: boolean
  /** It was copied a moment ago. */
  readonly isCopied: boolean
  copy(text: string): Promise<void>
}

const shownMs = 1_500

/** Puts text on the clipboard, and knows for a moment that it did. */
export function useCopy(): Copy {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  return {
    canCopy: 'clipboard' in navigator,
    isCopied,
    copy: text =>
      navigator.clipboard.writeText(text).then(
        () => setIsCopied(true),
        // The browser did not allow it: what was copied before still says so, and nothing else.
        () => setIsCopied(false),
      ),
  }
}
