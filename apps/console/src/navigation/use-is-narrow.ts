import { useSyncExternalStore } from 'react'

// The same width as Tailwind's `md`.
const narrow = matchMedia('(width < 48rem)')

/** Returns whether the window is as narrow as that of a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange)
  return () => narrow.removeEventListener('change', onChange)
}
