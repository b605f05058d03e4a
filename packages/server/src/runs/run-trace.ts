import { type Chunk, type Entry, isContinued } from '@throughline/protocol'
import type { Run } from '@throughline/store'

/**
 * Follows the entries of a run whose process died. Afterwards it knows what the process was doing, how long the run has
 * worked, and whether it got any further since it went on last.
 */
export class RunTrace {
  readonly #answerId: Run['answerId']
  #step: 'none' | 'open' | 'cut' | 'ended' = 'none'
  #hasText = false
  #hasCalls = false
  #stalls = 0
  #workedMs = 0
  /** When this attempt began, and when its last entry was written. In milliseconds since 1970. */
  #attemptAt: number
  #lastAt: number

  constructor({ answerId, startedAt }: Pick<Run, 'answerId' | 'startedAt'>) {
    this.#answerId = answerId
    this.#attemptAt = Date.parse(startedAt)
    this.#lastAt = this.#attemptAt
  }

  /** How often the run went on without any progress since. Two are the most. */
  get stalls(): number {
    return this.#stalls
  }

  /** How long the run has worked, in milliseconds. Time in which no process had the run does not count. */
  get workedMs(): number {
    return this.#workedMs + Math.max(0, this.#lastAt - this.#attemptAt)
  }

  /** Whether a step of the answer had begun and not ended. */
  get isInStep(): boolean {
    return this.#step === 'open' || this.#step === 'cut'
  }

  /** Whether the model had said everything: its last step ended with text and without a call. Only the end is missing. */
  get isComplete(): boolean {
    return this.#step === 'ended' && this.#hasText && !this.#hasCalls
  }

  add({ messageId, chunk, at }: Pick<Entry, 'messageId' | 'chunk' | 'at'>): void {
    if (isContinued(chunk)) this.#goOn(at)
    else if (isProgress(chunk)) this.#stalls = 0
    this.#lastAt = at
    if (messageId === this.#answerId) this.#follow(chunk)
  }

  #goOn(at: number): void {
    this.#stalls += 1
    this.#workedMs = this.workedMs
    this.#attemptAt = at
    if (this.#step === 'open') this.#step = 'cut'
  }

  #follow(chunk: Chunk): void {
    switch (chunk.type) {
      case 'start-step':
        this.#step = 'open'
        this.#hasText = false
        this.#hasCalls = false
        return
      case 'finish-step':
        // The step that was cut is ended only for the form: it has not said everything.
        this.#step = this.#step === 'open' ? 'ended' : 'none'
        return
      case 'text-delta':
        this.#hasText ||= /\S/.test(chunk.delta)
        return
      case 'tool-input-start':
      case 'tool-input-available':
      case 'tool-input-error':
        // The result of such a call is for another step. A call that the provider runs has its result in the same step.
        this.#hasCalls ||= chunk.providerExecuted !== true
        return
      default:
        return
    }
  }
}

function isProgress(chunk: Chunk): boolean {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-available':
    case 'file':
    case 'source-url':
    case 'source-document':
      return true
    case 'tool-output-available':
      return chunk.preliminary !== true
    default:
      return false
  }
}
