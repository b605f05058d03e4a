import { useEffect, useEffectEvent } from 'react'

interface Options {
  /** Whether the keys are heard now. Default: true. */
  readonly isOn?: boolean
  /** Whether the listener is called before everything else on the page that hears of a key. Default: false. */
  readonly isFirst?: boolean
}

/** Calls the listener for every key that is pressed on the page, wherever the focus is. */
export function useKeys(
  onKey: (event: KeyboardEvent) => void,
  { isOn = true, isFirst = false }: Options = {},
): void {
  const onLatest = useEffectEvent(onKey)
  useEffect(() => {
    if (!isOn) return
    const listener = (event: KeyboardEvent) => onLatest(event)
    addEventListener('keydown', listener, isFirst)
    return () => removeEventListener('keydown', listener, isFirst)
  }, [isOn, isFirst])
}

/** Returns whether a key with Alt types a letter into a field: on a Mac, it does. */
export function typesLetter({ altKey, code, target }: KeyboardEvent): boolean {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
  const isLetter = altKey && code.startsWith('Key')
  return (
    isMac && isLetter && target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]')
  )
}
