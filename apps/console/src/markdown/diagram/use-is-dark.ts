import { useSyncExternalStore } from 'react'

/** Returns whether the page is dark. A diagram is a picture, so it does not follow the colours of the page by itself. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watchTheme, () => document.documentElement.classList.contains('dark'))
}

function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => observer.disconnect()
}
