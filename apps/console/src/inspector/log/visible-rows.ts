/** A list of equal rows in a box that scrolls. Lengths are in pixels. */
export interface ScrolledList {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly height: number
}

/** The rows to draw: from `first` on, up to but not including `end`. */
export interface RowRange {
  readonly first: number
  readonly end: number
}

/** Rows that are drawn above and below what is seen, so that scrolling shows no gap before the next paint. */
const spare = 12

/** Returns the rows that are in sight, and a few around them. The cost of drawing does not grow with the list. */
export function visibleRows({ count, rowHeight, scrollTop, height }: ScrolledList): RowRange {
  const last = Math.max(0, count - 1)
  const top = Math.min(last, Math.max(0, Math.floor(scrollTop / rowHeight)))
  const bottom = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight)
  return { first: Math.max(0, top - spare), end: Math.min(count, Math.max(bottom, top + 1) + spare) }
}

/** Returns the scroll position nearest to the present one at which a whole row is in sight. */
export function scrollTopFor(
  row: number,
  { rowHeight, scrollTop, height }: Omit<ScrolledList, 'count'>,
): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
