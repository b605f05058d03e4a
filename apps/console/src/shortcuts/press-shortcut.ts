/**
 * Does what a key asks for, and returns whether it asked for something. Each shortcut presses a button of the page. So it
 * does what the button does, and nothing where there is no such button.
 */
export function pressShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false
  if (event.key === '?' && !isInField(event.target)) return press('help')
  if (!event.altKey || event.ctrlKey || event.metaKey) return false
  switch (event.code) {
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
      return false
  }
}

function press(name: string): boolean {
  const button = document.querySelector<HTMLElement>(`[data-shortcut=${name}]`)
  button?.click()
  return button !== null
}

function focusField(): boolean {
  const field = document.querySelector<HTMLElement>('[data-shortcut=write]')
  field?.focus()
  return field !== null
}

/** Shows the chat before or after the current one, in the order of the list. Without a current one, the first. */
function showChat(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-chat-link]')]
  const current = rows.findIndex(row => row.hasAttribute('aria-current'))
  const next = rows[current === -1 ? 0 : current + by]
  next?.click()
  return next !== undefined
}

function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
