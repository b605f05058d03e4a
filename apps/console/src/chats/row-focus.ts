import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

interface Focused {
  readonly element: Element
  /** The chat whose row has the focus. */
  readonly chatId: string
  /** The number of its row. */
  readonly index: number
}

/**
 * Keeps the focus in the list of chats when the element that has it goes away: when a chat is pinned, renamed or
 * deleted, its row is drawn anew or not at all. The focus then moves to the new row of the chat, to the row that took its
 * place, or to the search field.
 */
export function useRowFocus(panel: RefObject<HTMLElement | null>): void {
  const last = useRef<Focused>(undefined)
  useEffect(() => {
    const within = panel.current
    const onFocus = ({ target }: FocusEvent) => {
      last.current = within !== null && target instanceof Element ? focusedRow(within, target) : undefined
    }
    within?.addEventListener('focusin', onFocus)
    return () => within?.removeEventListener('focusin', onFocus)
  }, [panel])
  // After every rendering, because every rendering may remove rows.
  useLayoutEffect(() => {
    const before = last.current
    if (before === undefined || before.element.isConnected) return
    last.current = undefined
    // Whoever has moved the focus meanwhile keeps it.
    if (document.activeElement === document.body) next(panel.current, before)?.focus()
  })
}

function focusedRow(panel: HTMLElement, element: Element): Focused | undefined {
  const row = element.closest<HTMLElement>('[data-row]')
  if (row === null) return undefined
  return { element, chatId: row.dataset['row'] ?? '', index: rowsIn(panel).indexOf(row) }
}

function next(panel: HTMLElement | null, { chatId, index }: Focused): HTMLElement | null | undefined {
  if (panel === null) return undefined
  const rows = rowsIn(panel)
  const row = rows.find(({ dataset }) => dataset['row'] === chatId) ?? rows[Math.min(index, rows.length - 1)]
  return row?.querySelector<HTMLElement>('[data-chat-link]') ?? panel.querySelector('[type=search]')
}

function rowsIn(panel: HTMLElement): readonly HTMLElement[] {
  return [...panel.querySelectorAll<HTMLElement>('[data-row]')]
}

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
