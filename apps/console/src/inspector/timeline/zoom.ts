/** The picture is at most so many times as wide as its box. */
const mostZoom = 400

/** Returns a zoom that was changed by a factor. 1 shows everything. */
export function zoomedBy(zoom: number, factor: number): number {
  return Math.min(mostZoom, Math.max(1, zoom * factor))
}

/** Returns the scroll position at which the point `at`, in pixels from the left edge of the box, stays where it is. */
export function zoomedScroll(scrollLeft: number, at: number, factor: number): number {
  return Math.max(0, (scrollLeft + at) * factor - at)
}
