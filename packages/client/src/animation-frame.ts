/** Calls back once before the next paint, or soon when nothing is painted (a hidden tab, a program). */
export function onNextAnimationFrame(callback: () => void): void {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 16)
}
