const storageKey = 'throughline.page-share'

/** The smallest and the largest share of the width that the page beside the chat can have, in percent. */
export const minShare = 20
export const maxShare = 70

/** Returns the share that the person has chosen last; two fifths of the width at first. */
export function keptShare(): number {
  const kept = Number.parseFloat(localStorage.getItem(storageKey) ?? '')
  return Number.isNaN(kept) ? 40 : withinShares(kept)
}

export function keepShare(share: number): void {
  localStorage.setItem(storageKey, String(share))
}

export function withinShares(share: number): number {
  return Math.round(Math.min(maxShare, Math.max(minShare, share)) * 10) / 10
}

/** Returns the share after a key was pressed on the handle; `undefined` for a key that does not move it. */
export function shareAfterKey(share: number, key: string): number | undefined {
  switch (key) {
    // The page is on the right: to the left it grows.
    case 'ArrowLeft':
      return withinShares(share + 2)
    case 'ArrowRight':
      return withinShares(share - 2)
    case 'Home':
      return minShare
    case 'End':
      return maxShare
    default:
      return undefined
  }
}
