import { useSyncExternalStore } from 'react'

/** Returns whether a person can see the page: whether its tab is in front. */
export function useIsVisible(): boolean {
  return useSyncExternalStore(subscribe, isVisible)
}

function isVisible(): boolean {
  return document.visibilityState === 'visible'
}

function subscribe(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}
