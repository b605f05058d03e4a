import type { Entry } from '@throughline/protocol'
import type { Pieces } from './bytes/encoded-pages.ts'
import type { TransportBytes } from './bytes/send-stream.ts'
import type { AwaitedCall } from './run-waits.ts'

/**
 * A wire form of a run: the bytes that its entries become for one viewer. A form may remember what it has written, so
 * every viewer gets one of its own.
 */
export interface RunForm {
  /** Headers of the response, beside those of every stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** By default those of server-sent events. */
  readonly transport?: TransportBytes
  /**
   * The bytes of an entry depend on the entries before it. Such a form is given the run from its start, also when its
   * viewer resumes. It leaves out by itself what the viewer has seen.
   */
  readonly readsWholeRun?: boolean
  /** What stands before the first entry; by default nothing. */
  readonly start?: Pieces
  /**
   * The bytes of the next page of the log, up to the run's last entry. A page may also have entries of earlier runs.
   * A form that needs more than the entries, or much memory for them, returns the bytes part by part.
   */
  encode(entries: readonly Entry[]): Pieces | AsyncIterable<Pieces>
  /** What stands after the run's last entry. */
  readonly end: Pieces
  /** Forms without it keep their stream open while the run waits. */
  readonly waiting?: WaitingForm
}

/** How a stream of a form begins before its run, and how it ends when the run does not begin. */
export interface LateForm extends Pick<RunForm, 'headers' | 'transport'> {
  /** Says why there is no run. */
  refusal(problem: { readonly message: string; readonly code: string }): Pieces
}

/** A form whose bytes need nothing but the entries. */
export interface DirectForm extends RunForm {
  encode(entries: readonly Entry[]): Pieces
}

/** How a stream ends while its run waits for something from outside, and for nothing else. */
export interface WaitingForm {
  /** Whether the form shows the viewer this call. Nobody can give what a call needs that they do not see. */
  isVisible(call: AwaitedCall): boolean
  /** The end of the stream. */
  encode(calls: readonly AwaitedCall[]): Pieces
}

/**
 * Turns the entries of one run into the values of one wire form, such as chunks, lines or events.
 *
 * It is given the run's own entries (see `isOfRun`) in the order of the log, and remembers what it needs of them.
 * So each viewer needs a projection of its own. The cost of an entry does not depend on how many came before it.
 */
export interface Projection<Out> {
  /** Takes the next entry. Returns what it becomes, which may be nothing. */
  write(entry: Entry): readonly Out[]
}
