/** Makes an element. Texts become text nodes, so nothing that a model writes is ever read as HTML. */
export function element(
  name: string,
  attributes: Record<string, string> = {},
  ...content: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content)
  return made
}

export function button(
  text: string,
  onClick: () => unknown,
  attributes: Record<string, string> = {},
): HTMLElement {
  const made = element('button', { type: 'button', ...attributes }, text)
  made.addEventListener('click', () => onClick())
  return made
}

/** Returns the element of the page with this id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`index.html has no element with the id "${id}".`)
  return found
}
