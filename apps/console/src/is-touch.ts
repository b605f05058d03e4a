/** Returns whether the person touches the screen. Then Enter makes a new line, and the page does not open the keyboard. */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}
