import { useEffect, useState } from 'react'

interface Copy {
  /** False where there is no clipboard: browsers have one only on https and localhost. */
  readonly canCopy: boolean
  /** True for a moment after something was copied. */
  readonly isCopied: boolean
  copy(text: string): Promise<void>
}

const shownMs = 1_500

/** Copies text to the clipboard, and says so for a moment. */
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
        // The browser did not allow it. Nothing says "copied", and the clipboard keeps its content.
        () => setIsCopied(false),
      ),
  }
}
