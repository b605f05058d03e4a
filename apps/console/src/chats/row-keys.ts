import type { KeyboardEvent } from 'react'

/**
 * Moves the focus with the arrow keys, Home and End: from the search field to the first chat, and between chats. To be
 * used for `keydown` of an element that contains them all.
 */
export function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget, key } = event
  // Keys that choose a suggestion of an input method move no focus.
  if (!(target instanceof HTMLElement) || event.nativeEvent.isComposing) return
  const rows = [...currentTarget.querySelectorAll<HTMLElement>('[data-chat-link]')]
  const at = rows.findIndex(row => row.contains(target))
  const isSearch = target.matches('[type=search]')
  if (at === -1 && !isSearch) return
  const next = rowFor(key, { at, count: rows.length, isSearch })
  if (next === undefined) return
  event.preventDefault()
  const search = currentTarget.querySelector<HTMLElement>('[type=search]')
  if (next === -1) search?.focus()
  else rows[next]?.focus()
}

interface Place {
  /** -1 for the search field. */
  readonly at: number
  readonly count: number
  readonly isSearch: boolean
}

/** Returns the row that a key leads to, -1 for the search field, and `undefined` for all other keys. */
function rowFor(key: string, { at, count, isSearch }: Place): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1)
  // Home and End move the cursor in the field.
  if (isSearch) return undefined
  if (key === 'ArrowUp') return at - 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}
