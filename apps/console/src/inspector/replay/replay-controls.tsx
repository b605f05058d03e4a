import type { Entry } from '@throughline/protocol'
import { Pause, Play } from 'lucide-react'
import { durationText } from '../../duration-text.ts'
import { IconButton } from '../../icon-button.tsx'
import { useInspectorWords } from '../inspector-words.ts'
import type { usePlayback } from './use-playback.ts'

interface Props {
  readonly scope: readonly Entry[]
  readonly times: readonly number[]
  readonly index: number
  readonly onIndex: (index: number) => void
  readonly playback: ReturnType<typeof usePlayback>
}

const speeds = [1, 2, 5, 10, 20]

/** Play, pause, the speed, and a slider over all positions. */
export function ReplayControls({ scope, times, index, onIndex, playback }: Props) {
  const words = useInspectorWords()
  const { isPlaying, speed, setSpeed, play, pause } = playback
  const entry = scope[index]
  const last = scope.at(-1)
  const text = words.positionOf(entry?.seq ?? 0, last?.seq ?? 0, durationText(times[index] ?? 0))
  return (
    <div className="space-y-1 border-b border-line px-4 py-2">
      <div className="flex items-center gap-2">
        <IconButton
          icon={isPlaying ? Pause : Play}
          label={isPlaying ? words.pause : words.play}
          onClick={isPlaying ? pause : play}
        />
        <input
          type="range"
          aria-label={words.position}
          aria-valuetext={text}
          min={0}
          max={Math.max(0, scope.length - 1)}
          value={index}
          onChange={event => onIndex(Number(event.target.value))}
          className="min-w-0 flex-1 accent-accent pointer-coarse:h-9"
        />
        <select
          aria-label={words.speed}
          title={words.speed}
          value={speed}
          onChange={event => setSpeed(Number(event.target.value))}
          className="shrink-0 rounded-lg border border-line bg-raised px-1.5 py-1 text-base sm:text-sm"
        >
          {speeds.map(each => (
            <option key={each} value={each}>
              {each}×
            </option>
          ))}
        </select>
      </div>
      <p className="flex justify-between gap-3 text-xs text-muted tabular-nums">
        <span data-position={entry?.seq}>{text}</span>
        <span className="truncate font-mono">{entry?.chunk.type}</span>
      </p>
    </div>
  )
}
