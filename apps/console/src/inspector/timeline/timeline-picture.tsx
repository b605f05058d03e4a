import { useEffect, useRef, useState } from 'react'
import { durationLabel } from '../../text/duration-label.ts'
import type { InspectorWords } from '../../words/inspector/en.ts'
import { useInspectorWords } from '../../words/inspector/use-inspector-words.ts'
import type { Lane, SpanKind, Timeline } from './timeline.ts'
import { type DrawnSpan, drawnSpans, ticksFor, zoomedScroll } from './timeline-scale.ts'

interface Props {
  readonly timeline: Timeline
  readonly zoom: number
  readonly onZoom: (factor: number) => void
  readonly onSeq: (seq: number) => void
}

const laneHeight = 44
const axisHeight = 20
/** What is a little outside of the view is drawn too, so that scrolling shows no gap before the next paint. */
const spare = 300
const kinds: readonly SpanKind[] = ['model', 'tool', 'sub-agent', 'wait']
const colours: Readonly<Record<SpanKind, string>> = {
  model: 'fill-accent',
  tool: 'fill-sky-500',
  'sub-agent': 'fill-violet-500',
  wait: 'fill-amber-500',
}

/** One lane per agent. Scrolls sideways when it is wider than its box. The wheel with Ctrl zooms at the pointer. */
export function TimelinePicture({ timeline, zoom, onZoom, onSeq }: Props) {
  const words = useInspectorWords()
  const { from, to, lanes } = timeline
  const { box, view } = useView(zoom, onZoom)
  const durationMs = Math.max(1, to - from)
  const width = Math.max(1, view.width * zoom)
  const scale = { from, pxPerMs: width / durationMs }
  const height = axisHeight + lanes.length * laneHeight
  const isInView = (x: number, long: number) =>
    x + long > view.left - spare && x < view.left + view.width + spare
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
    <div ref={box} tabIndex={0} className="overflow-x-auto overflow-y-hidden rounded-lg border border-line">
      <svg role="img" width={width} height={height} className="block select-none">
        <title>{words.picture(lanes.length, durationLabel(durationMs))}</title>
        {ticksFor(durationMs, scale.pxPerMs)
          .filter(ms => isInView(ms * scale.pxPerMs, 0))
          .map(ms => (
            <g key={ms} transform={`translate(${ms * scale.pxPerMs} 0)`}>
              <line y2={height} className="stroke-line" />
              <text x={4} y={14} className="fill-muted text-[11px]">
                {durationLabel(ms)}
              </text>
            </g>
          ))}
        {lanes.map((lane, index) => (
          <g
            // biome-ignore lint/suspicious/noArrayIndexKey: two lanes can be of one agent, and a lane keeps its place
            key={`${lane.agentKey} ${index}`}
            data-lane={lane.name}
            transform={`translate(0 ${axisHeight + index * laneHeight})`}
          >
            <line x2={width} className="stroke-line" />
            <text x={Math.max(0, view.left) + 6} y={13} className="fill-ink text-[11px] font-semibold">
              {'· '.repeat(lane.depth)}
              {lane.name}
            </text>
            {kinds.flatMap(kind =>
              spansOf(lane, kind, scale)
                .filter(({ x, width: long }) => isInView(x, long))
                .map(span => <SpanBar key={`${kind} ${span.seq}`} span={span} words={words} onSeq={onSeq} />),
            )}
          </g>
        ))}
      </svg>
    </div>
  )
}

function spansOf(lane: Lane, kind: SpanKind, scale: Parameters<typeof drawnSpans>[1]): readonly DrawnSpan[] {
  return drawnSpans(
    lane.spans.filter(span => span.kind === kind),
    scale,
  )
}

interface SpanProps {
  readonly span: DrawnSpan
  readonly words: InspectorWords
  readonly onSeq: (seq: number) => void
}

function SpanBar({ span, words, onSeq }: SpanProps) {
  const { kind, x, width, isOpen, count, from, to, seq } = span
  const label = kind === 'model' ? words.step(span.label) : span.label
  const facts = [words.kinds[kind], label, durationLabel(to - from)]
  if (isOpen) facts.push(words.notEnded)
  if (count > 1) facts.push(words.times(count))
  const room = Math.floor((width - 8) / 6)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: for the keyboard, the log shows the same entries as a list
    <g data-kind={kind} onClick={() => onSeq(seq)} className="cursor-pointer">
      <title>{facts.join(' · ')}</title>
      <rect
        x={x}
        y={kind === 'model' ? 18 : 30}
        width={width}
        height={11}
        rx={2}
        className={`${colours[kind]} ${isOpen ? 'opacity-50' : 'opacity-85'} hover:opacity-100`}
      />
      {kind !== 'model' && room > 3 && (
        <text x={x + 4} y={39} className="pointer-events-none fill-white text-[9px]">
          {label.slice(0, room)}
        </text>
      )}
    </g>
  )
}

/** Follows the size and the scroll position of the picture, and keeps its middle in place when it is zoomed. */
function useView(zoom: number, onZoom: (factor: number) => void) {
  const box = useRef<HTMLDivElement>(null)
  const pointer = useRef<number>(undefined)
  const drawn = useRef(zoom)
  const [view, setView] = useState({ left: 0, width: 600 })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => setView({ left: element.scrollLeft, width: element.clientWidth })
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      pointer.current = event.clientX - element.getBoundingClientRect().left
      onZoom(event.deltaY < 0 ? 1.25 : 0.8)
    }
    const watch = new ResizeObserver(look)
    watch.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    // Not passive: otherwise the browser would zoom the whole page.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', look)
      element.removeEventListener('wheel', onWheel)
    }
  }, [onZoom])
  useEffect(() => {
    const element = box.current
    if (element === null || drawn.current === zoom) return
    const at = pointer.current ?? element.clientWidth / 2
    element.scrollLeft = zoomedScroll(element.scrollLeft, at, zoom / drawn.current)
    drawn.current = zoom
    pointer.current = undefined
  }, [zoom])
  return { box, view }
}
