import type { Span } from './timeline.ts'

/** A range of time on a picture, and how many pixels a millisecond has. */
interface TimeScale {
  readonly from: number
  readonly pxPerMs: number
}

/** A span as it is drawn. `count` is how many spans it stands for. */
export interface DrawnSpan extends Span {
  readonly x: number
  readonly width: number
  readonly count: number
}

/** No span is thinner, so that short ones can be seen. */
const thinnest = 2

/**
 * Returns the spans of one kind where they are drawn. Spans that would touch are drawn as one, so that a long log has no
 * more of them than the picture has pixels.
 */
export function drawnSpans(spans: readonly Span[], { from, pxPerMs }: TimeScale): readonly DrawnSpan[] {
  const drawn: DrawnSpan[] = []
  for (const span of [...spans].sort((one, other) => one.from - other.from)) {
    const x = (span.from - from) * pxPerMs
    const width = Math.max(thinnest, (span.to - span.from) * pxPerMs)
    const last = drawn.at(-1)
    const isTiny = width <= thinnest && last !== undefined && last.width <= thinnest * 8
    if (last === undefined || !isTiny || x >= last.x + last.width) {
      drawn.push({ ...span, x, width, count: 1 })
      continue
    }
    drawn[drawn.length - 1] = {
      ...last,
      to: Math.max(last.to, span.to),
      isOpen: last.isOpen || span.isOpen,
      width: Math.max(last.width, x + width - last.x),
      count: last.count + 1,
    }
  }
  return drawn
}

/** Returns times for the marks of a scale, in milliseconds since its beginning: 1, 2 or 5 times a power of ten apart. */
export function ticksFor(durationMs: number, pxPerMs: number): readonly number[] {
  const wanted = 90 / pxPerMs
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)))
  const stepMs = [1, 2, 5, 10].map(times => times * power).find(each => each >= wanted) ?? power * 10
  return Array.from({ length: Math.floor(durationMs / stepMs) + 1 }, (_, index) => index * stepMs)
}

/** The picture is at most this many times as wide as its box. */
const mostZoom = 400

/** Returns a zoom that was changed by a factor. 1 shows everything. */
export function zoomedBy(zoom: number, factor: number): number {
  return Math.min(mostZoom, Math.max(1, zoom * factor))
}

/** Returns the scroll position at which the point `at`, in pixels from the left edge of the box, stays where it is. */
export function zoomedScroll(scrollLeft: number, at: number, factor: number): number {
  return Math.max(0, (scrollLeft + at) * factor - at)
}
