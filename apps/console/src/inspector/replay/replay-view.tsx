import { asChatError } from '@throughline/client'
import { branchOf, type ChatId, type Entry, type Message, messagesOf } from '@throughline/protocol'
import { Pause, Play } from 'lucide-react'
import {
  memo,
  useCallback,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../../controls/icon-button.tsx'
import { groupAnswers, keyOf, type MessageGroup } from '../../messages/group-answers.ts'
import { useStickToEnd } from '../../messages/message-scroller.tsx'
import { MessageView } from '../../messages/message-view.tsx'
import { lastWithin } from '../../messages/use-latest-first.ts'
import { durationLabel } from '../../text/duration-label.ts'
import { useInspectorWords } from '../../words/inspector/use-inspector-words.ts'
import { FollowUpForm } from './follow-up-form.tsx'
import { FoldSnapshots, forkPoint, indexAt, playTimesOf } from './replayed-log.ts'

interface Props {
  readonly chatId: ChatId
  /** The whole log. The chat at a position needs everything before it. */
  readonly log: readonly Entry[]
  /** The part of the log that is played. */
  readonly scope: readonly Entry[]
  /** The position that is shown. Outside of the scope, its last one is shown. */
  readonly seq: number
  readonly onSeq: (seq: number) => void
}

/** The chat as it was at any position of its log. */
export function ReplayView({ chatId, log, scope, seq, onSeq }: Props) {
  const words = useInspectorWords()
  const { snapshots, count, problem } = useSnapshots(log)
  const times = useMemo(() => playTimesOf(scope), [scope])
  const found = useMemo(() => scope.findIndex(entry => entry.seq === seq), [scope, seq])
  const index = found === -1 ? scope.length - 1 : found
  const show = useCallback((next: number) => onSeq(scope[next]?.seq ?? 0), [scope, onSeq])
  const playback = usePlayback({ times, index, onIndex: show })
  // While the slider moves, the messages may come a little later: the slider never waits for them. React draws them in
  // slices, and begins again when the position has changed.
  const shown = useDeferredValue(scope[index]?.seq ?? 0)
  // The first entry of a log has the number 1, so this many entries come up to it.
  const state = useMemo(() => snapshots.stateAfter(Math.min(shown, count)), [snapshots, shown, count])
  const messages = useMemo(() => branchOf(messagesOf(state)), [state])
  const answer = useMemo(() => forkPoint(messages), [messages])
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ReplayControls scope={scope} times={times} index={index} onIndex={show} playback={playback} />
      {problem !== undefined && <p className="px-4 py-2 text-sm text-danger">{problem}</p>}
      {count < log.length && problem === undefined && shown > count && (
        <p role="status" className="px-4 py-2 text-sm text-muted">
          {words.loading}
        </p>
      )}
      <ReplayedChat messages={messages} seq={state.seq} />
      {answer !== undefined && <FollowUpForm chatId={chatId} answer={answer} />}
    </div>
  )
}

interface ControlsProps {
  readonly scope: readonly Entry[]
  readonly times: readonly number[]
  readonly index: number
  readonly onIndex: (index: number) => void
  readonly playback: ReturnType<typeof usePlayback>
}

const speeds = [1, 2, 5, 10, 20]

/** Play, pause, the speed, and a slider over all positions. */
function ReplayControls({ scope, times, index, onIndex, playback }: ControlsProps) {
  const words = useInspectorWords()
  const { isPlaying, speed, setSpeed, play, pause } = playback
  const entry = scope[index]
  const last = scope.at(-1)
  const text = words.positionOf(entry?.seq ?? 0, last?.seq ?? 0, durationLabel(times[index] ?? 0))
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

interface Playback {
  readonly isPlaying: boolean
  readonly speed: number
  setSpeed(speed: number): void
  play(): void
  pause(): void
}

interface Options {
  /** When each entry is played, in milliseconds. */
  readonly times: readonly number[]
  /** The index of the entry that is shown now. */
  readonly index: number
  readonly onIndex: (index: number) => void
}

/** Moves through a log at the speed at which it was written, or several times as fast. Stops at its end. */
function usePlayback({ times, index, onIndex }: Options): Playback {
  const [isPlaying, setIsPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  // The time that was played when an entry was shown. Entries are shown late, at the next animation frame, and what is
  // late must not add up.
  const played = useRef({ index: -1, ms: 0 })
  const playOn = useEffectEvent((passedMs: number) => {
    const { current: before } = played
    const ms = (before.index === index ? before.ms : (times[index] ?? 0)) + passedMs * speed
    const found = Math.max(index, indexAt(times, ms))
    played.current = { index: found, ms }
    if (found !== index) onIndex(found)
  })
  useEffect(() => {
    if (!isPlaying) return
    let before: number | undefined
    let request = requestAnimationFrame(function next(now) {
      playOn(now - (before ?? now))
      before = now
      request = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(request)
  }, [isPlaying])

  const isAtEnd = index >= times.length - 1
  useEffect(() => {
    if (isAtEnd) setIsPlaying(false)
  }, [isAtEnd])
  return {
    isPlaying,
    speed,
    setSpeed,
    play() {
      // From the beginning again after the end.
      if (isAtEnd) onIndex(0)
      setIsPlaying(true)
    },
    pause: () => setIsPlaying(false),
  }
}

const sliceMs = 8

interface Snapshots {
  readonly snapshots: FoldSnapshots
  /** How many entries can be shown. Grows until all are folded. */
  readonly count: number
  /** Why the log cannot be folded further. */
  readonly problem: string | undefined
}

/** Folds a log in slices, so that the page stays usable meanwhile. */
function useSnapshots(entries: readonly Entry[]): Snapshots {
  const kept = useRef(new FoldSnapshots())
  const [count, setCount] = useState(0)
  const [problem, setProblem] = useState<string>()
  // The log was read again from its beginning.
  if (kept.current.count > entries.length) kept.current = new FoldSnapshots()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const foldOn = () => {
      const end = performance.now() + sliceMs
      try {
        const isDone = kept.current.foldOn(entries, () => performance.now() < end)
        if (!isDone) timer = setTimeout(foldOn)
      } catch (error) {
        setProblem(asChatError(error).message)
      }
      setCount(kept.current.count)
    }
    foldOn()
    return () => clearTimeout(timer)
  }, [entries])
  return { snapshots: kept.current, count, problem }
}

/** A person saw the last messages at a position. About this many characters fill the screen. They are drawn at once. */
const mostChars = 6 * 1024
/** An answer is shown with its question, however long it is. */
const fewest = 2

interface ChatProps {
  /** The messages of the branch that was the newest at the position. */
  readonly messages: readonly Message[]
  /** The position. */
  readonly seq: number
}

const noAgents: readonly never[] = []
const noVersions: ReadonlyMap<string, readonly string[]> = new Map()

/** The messages of a chat as they were, drawn as the chat draws them. Nothing can be sent, changed or decided here. */
const ReplayedChat = memo(function ReplayedChat({ messages, seq }: ChatProps) {
  const words = useInspectorWords()
  const { scroller, content } = useStickToEnd()
  const groups = useRef<readonly MessageGroup[]>([])
  groups.current = groupAnswers({ messages, versions: noVersions }, groups.current)
  const found = lastWithin(groups.current, mostChars)
  const shown = found.length < fewest ? groups.current.slice(-fewest) : found
  const hidden = groups.current.length - shown.length
  return (
    <section
      ref={scroller}
      data-replay={seq}
      aria-label={words.replay}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls with the keyboard needs the focus here
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-4 -outline-offset-2"
    >
      <div
        ref={content}
        data-busy=""
        className="mx-auto flex max-w-3xl flex-col gap-3 [&_.quiet]:hidden [&_[role=alertdialog]_button]:hidden"
      >
        {groups.current.length === 0 && <p className="text-sm text-muted">{words.nothingYet}</p>}
        {hidden > 0 && <p className="text-center text-xs text-muted">{words.earlier(hidden)}</p>}
        {shown.map(group => (
          <MessageView
            key={keyOf(group)}
            group={group}
            agents={noAgents}
            selectedAgent={undefined}
            failure={undefined}
          />
        ))}
      </div>
    </section>
  )
})
