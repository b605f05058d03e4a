/** Returns whether a key with Alt types a letter into a field: on a Mac, it does. */
export function typesLetter({ altKey, code, target }: KeyboardEvent): boolean {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
  const isLetter = altKey && code.startsWith('Key')
  return (
    isMac && isLetter && target instanceof HTMLElement && target.matches('input, textarea, [contenteditable]')
  )
}
