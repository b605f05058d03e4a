/**
 * What a submission asks for when another run has the chat. `interrupt-unviewed` is for stock clients, and for queries of
 * the event API that do not say anything else. They cannot say that they have stopped a run, they only close the connection. So a run that nobody watches is interrupted. For any
 * other run, the submission waits for its end.
 */
export type OnBusy = 'reject' | 'queue' | 'interrupt' | 'interrupt-unviewed'

/** The run that keeps a chat busy. */
export interface RunInTheWay {
  /** A call of the run waits for a person's decision. */
  readonly isAsking: boolean
  /** The chat is in a channel. The person there is watching, and nobody can see whether they have left. */
  readonly isInChannel: boolean
}

/** Returns what happens to the run that has the chat. Pure. */
export function busyMove(
  onBusy: OnBusy,
  { isAsking, isInChannel }: RunInTheWay,
): 'interrupt' | 'wait' | 'wait-while-viewed' {
  switch (onBusy) {
    // A submission with `reject` gets here only when the other answer is complete and about to be saved.
    case 'reject':
    case 'queue':
      return 'wait'
    case 'interrupt':
      return 'interrupt'
    case 'interrupt-unviewed':
      // A person who writes a message instead of deciding does not want the call any more.
      if (isAsking) return 'interrupt'
      return isInChannel ? 'wait' : 'wait-while-viewed'
  }
}
