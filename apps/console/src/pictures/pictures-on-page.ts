export interface Picture {
  readonly address: string
  readonly label: string
}

/** Returns the pictures of the page that can be shown larger, in their order, and the index of the one in a button. */
export function picturesOnPage(button: Element): {
  readonly pictures: readonly Picture[]
  readonly index: number
} {
  const buttons = [...document.querySelectorAll('button[data-picture]')]
  const images = buttons.flatMap(each => each.querySelector('img') ?? [])
  const index = images.findIndex(image => button.contains(image))
  return { pictures: images.map(({ src, alt }) => ({ address: src, label: alt })), index }
}
