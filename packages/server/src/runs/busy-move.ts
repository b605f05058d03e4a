/**
 * What a message asks for while its chat is busy with another run. `interrupt-unviewed` is what stock clients get: they
 * cannot say that they have stopped, they only leave. So a run that nobody watches is interrupted, and any other one is
 * waited for.
 */
export type OnBusy = 'reject' | 'queue' | 'interrupt' | 'interrupt-unviewed'

export interface RunInTheWay {
  /** A call of the run waits for a person. */
  readonly isAsking: boolean
  /** The chat is held in a channel: the person there is watching, and we cannot see whether they have left. */
  readonly isInChannel: boolean
}

/** What becomes of the run that is in a message's way. Pure. */
export function busyMove(
  onBusy: OnBusy,
  { isAsking, isInChannel }: RunInTheWay,
): 'interrupt' | 'wait' | 'wait-while-viewed' {
  switch (onBusy) {
    // Whoever may be refused gets here only when the answer is whole and about to be saved.
    case 'reject':
    case 'queue':
      return 'wait'
    case 'interrupt':
      return 'interrupt'
    case 'interrupt-unviewed':
      // Who writes instead of answering the question does not want it answered.
      if (isAsking) return 'interrupt'
      return isInChannel ? 'wait' : 'wait-while-viewed'
  }
}
