/** Calls back once before the next paint, or soon when nothing is painted (a hidden tab, a program). */
export function onNextFrame(callback: () => void): void {
  const isVisible = typeof document !== 'undefined' && document.visibilityState === 'visible'
  if (isVisible) requestAnimationFrame(callback)
  else setTimeout(callback, 16)
}
