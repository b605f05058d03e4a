import { branchOf, type ChatId, type Entry, messagesOf } from '@throughline/protocol'
import { useCallback, useDeferredValue, useMemo } from 'react'
import { useInspectorWords } from '../inspector-words.ts'
import { FollowUp } from './follow-up.tsx'
import { forkPoint } from './fork-point.ts'
import { playTimesOf } from './play-times.ts'
import { ReplayControls } from './replay-controls.tsx'
import { ReplayedChat } from './replayed-chat.tsx'
import { usePlayback } from './use-playback.ts'
import { useSnapshots } from './use-snapshots.ts'

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
      {answer !== undefined && <FollowUp chatId={chatId} answer={answer} />}
    </div>
  )
}
