import { useEffect, useRef, useState } from 'react'

/**
 * Takes the files that a person drops anywhere on the page, while `onFiles` is given. Without it, the browser would open
 * the file in place of the page. Returns whether files are held over the page.
 */
export function useDroppedFiles(onFiles: ((files: Iterable<File>) => void) | undefined): boolean {
  const [isOver, setIsOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    const onDrag = (event: DragEvent) => {
      if (latest.current === undefined || !event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(event.type === 'dragover')
      if (event.type === 'drop') latest.current(event.dataTransfer.files)
    }
    for (const type of ['dragover', 'drop', 'dragleave'] as const) addEventListener(type, onDrag, { signal })
    return () => ending.abort()
  }, [])
  return isOver
}
