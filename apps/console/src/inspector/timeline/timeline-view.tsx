import type { Entry } from '@throughline/protocol'
import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { IconButton } from '../../controls/icon-button.tsx'
import { durationLabel } from '../../text/duration-label.ts'
import { useInspectorWords } from '../../words/inspector/use-inspector-words.ts'
import { milestonesOf } from './answer-numbers.ts'
import { timelineOf } from './timeline.ts'
import { TimelinePicture } from './timeline-picture.tsx'
import { zoomedBy } from './timeline-scale.ts'
import { UsageCharts } from './usage-charts.tsx'

interface Props {
  readonly entries: readonly Entry[]
  /** Shows an entry in the log. */
  readonly onSeq: (seq: number) => void
}

/** What the agents did when, how long the answers took, and what they used. */
export function TimelineView({ entries, onSeq }: Props) {
  const words = useInspectorWords()
  const timeline = useMemo(() => timelineOf(entries), [entries])
  const [zoom, setZoom] = useState(1)
  const zoomBy = useCallback((factor: number) => setZoom(before => zoomedBy(before, factor)), [])
  return (
    <div className="min-h-0 flex-1 space-y-4 overflow-y-auto p-4">
      <Answers entries={entries} />
      <div className="flex flex-wrap items-center gap-1">
        <Legend />
        <IconButton icon={ZoomOut} label={words.zoomOut} onClick={() => zoomBy(0.5)} />
        <IconButton icon={ZoomIn} label={words.zoomIn} onClick={() => zoomBy(2)} />
        <IconButton icon={Maximize2} label={words.zoomFit} onClick={() => setZoom(1)} />
      </div>
      <TimelinePicture timeline={timeline} zoom={zoom} onZoom={zoomBy} onSeq={onSeq} />
      <UsageCharts entries={entries} timeline={timeline} />
    </div>
  )
}

/** The newest answers are the ones that people look at. */
const mostAnswers = 5

/** How long it took to the first token, to the first text and to the end. */
function Answers({ entries }: Pick<Props, 'entries'>) {
  const words = useInspectorWords()
  const answers = useMemo(() => milestonesOf(entries).slice(-mostAnswers), [entries])
  const text = (ms: number | undefined) => (ms === undefined ? '–' : durationLabel(ms))
  return (
    <ul className="space-y-1 text-sm">
      {answers.map(({ messageId, name, firstTokenMs, firstTextMs, endMs }) => (
        <li key={messageId} data-milestones className="flex flex-wrap gap-x-4">
          <strong className="font-medium">{name}</strong>
          <span>
            {words.firstToken}: {text(firstTokenMs)}
          </span>
          <span>
            {words.firstText}: {text(firstTextMs)}
          </span>
          <span>
            {words.toTheEnd}: {endMs === undefined ? words.running : text(endMs)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Legend() {
  const { kinds } = useInspectorWords()
  return (
    <ul className="mr-auto flex flex-wrap gap-x-3 text-xs text-muted">
      <LegendItem colour="bg-accent" label={kinds.model} />
      <LegendItem colour="bg-sky-500" label={kinds.tool} />
      <LegendItem colour="bg-violet-500" label={kinds['sub-agent']} />
      <LegendItem colour="bg-amber-500" label={kinds.wait} />
    </ul>
  )
}

function LegendItem({ colour, label }: { readonly colour: string; readonly label: string }) {
  return (
    <li className="flex items-center gap-1">
      <span className={`size-2.5 rounded-sm ${colour}`} /> {label}
    </li>
  )
}
