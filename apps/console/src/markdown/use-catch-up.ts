import { useLayoutEffect, useReducer, useRef } from 'react'

/** How many characters to draw in the first animation frame: few, because the browser has not compiled the code yet. */
const firstStride = 256
/** The most. It takes a third of a frame, so that the browser can also collect garbage in it. */
const maxStride = 4 * 1024

/**
 * Returns as much of a growing text as can be drawn without blocking the page. Text that comes bit by bit is drawn at
 * once. Much text at once, such as a long answer after a reload, is drawn over several animation frames.
 */
export function useCatchUp(text: string): string {
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
