/** Returns whether an element is on the screen of a person who has scrolled away from the end of the chat. */
export function isInReading(element: Element): boolean {
  const page = element.closest('[data-reading]')?.getBoundingClientRect()
  if (page === undefined) return false
  const { top, bottom } = element.getBoundingClientRect()
  return top < page.bottom && bottom > page.top
}

/** Returns the same for the card with an id. `false` if there is no such card on the page. */
export function isCardInReading(id: string): boolean {
  const card = document.querySelector(`[data-reading] [data-card="${CSS.escape(id)}"]`)
  return card !== null && isInReading(card)
}
