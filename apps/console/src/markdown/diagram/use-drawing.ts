import { useEffect, useState } from 'react'
import { createDiagramDrawer } from './diagram-drawer.ts'

export type Drawing =
  | { readonly status: 'waiting' }
  | { readonly status: 'failed' }
  /** The address is for an `img` element: nothing in a picture can run or load anything. */
  | { readonly status: 'drawn'; readonly address: string }

// One drawer for the page: it has loaded a large library.
const drawer = createDiagramDrawer()

/** Draws a diagram. While it is drawn again in other colours, the old drawing stays. */
export function useDrawing(source: string, isDark: boolean): Drawing {
  const [drawing, setDrawing] = useState<Drawing>({ status: 'waiting' })
  useEffect(() => {
    let isGone = false
    let address: string | undefined
    drawer.draw({ source, isDark }).then(svg => {
      if (isGone) return
      if (svg !== undefined) address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
      setDrawing(address === undefined ? { status: 'failed' } : { status: 'drawn', address })
    })
    return () => {
      isGone = true
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [source, isDark])
  return drawing
}
