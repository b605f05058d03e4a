/** Returns the host of an address, as the browser would name it; an empty text when the address is not valid. */
export function hostOf(address: string): string {
  try {
    return new URL(address).hostname
  } catch {
    return ''
  }
}
