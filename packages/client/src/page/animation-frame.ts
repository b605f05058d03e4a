/**
 * Calls back once: at the next animation frame, or after 16 ms where there are none (in a hidden tab, in a program
 * without a page).
 */
export function onNextAnimationFrame(callback: () => void): void {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 16)
}
