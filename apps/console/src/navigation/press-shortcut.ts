/**
 * Does what a key asks for. Each shortcut presses a button of the page. So it does what the button does, and nothing where
 * there is no such button.
 */
export function pressShortcut({ altKey, key, code, target }: KeyboardEvent): void {
  if (key === '?' && !isInField(target)) return press('help')
  if (!altKey) return
  switch (code) {
    case 'KeyN':
      return press('new')
    case 'KeyS':
      return press('stop')
    case 'KeyM':
      return focusField()
    case 'ArrowUp':
      return showChat(-1)
    case 'ArrowDown':
      return showChat(1)
    default:
      return
  }
}

function press(name: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut=${name}]`)?.click()
}

function focusField(): void {
  document.querySelector<HTMLElement>('[data-shortcut=write]')?.focus()
}

/** Shows the chat before or after the current one, in the order of the list. Without a current one, the first. */
function showChat(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-chat-link]')]
  const current = rows.findIndex(row => row.hasAttribute('aria-current'))
  rows[current === -1 ? 0 : current + by]?.click()
}

function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
