import { useLayoutEffect, useReducer, useRef } from 'react'

const firstStep = 8 * 1024

/**
 * A growing text as far as it can be drawn without holding up the page. Text that comes bit by bit is all there at
 * once; what comes in one go, such as a long answer after a reload, is drawn over several frames.
 */
export function useCatchUp(text: string): string {
  const drawn = useRef(0)
  const step = useRef(firstStep)
  const lastFrame = useRef<number>(undefined)
  const [, drawOn] = useReducer((count: number) => count + 1, 0)
  const length = Math.min(text.length, drawn.current + step.current)
  useLayoutEffect(() => {
    drawn.current = length
    if (length === text.length) {
      lastFrame.current = undefined
      return
    }
    const frame = requestAnimationFrame(time => {
      if (lastFrame.current !== undefined) step.current = nextStep(step.current, time - lastFrame.current)
      lastFrame.current = time
      drawOn()
    })
    return () => cancelAnimationFrame(frame)
  }, [text, length])
  return text.slice(0, length)
}

/** As much as this page, on this device, can draw while it keeps up with the screen. */
function nextStep(step: number, frameMs: number): number {
  if (frameMs > 34) return Math.max(2 * 1024, Math.floor(step / 2))
  return frameMs < 20 ? Math.min(32 * 1024, Math.floor(step * 1.25)) : step
}
