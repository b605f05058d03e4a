import {
  type Chunk,
  type Entry,
  isContinued,
  type MessageId,
  type StepUsage,
  stepUsageOf,
} from '@throughline/protocol'
import type { Run } from '@throughline/store'

/**
 * Follows the entries of a run whose process died. Afterwards it knows what the process was doing, and how long the run has
 * worked.
 */
export class RunTrace {
  readonly #answerId: Run['answerId']
  readonly #messages = new Map<MessageId, MessageTrace>()
  #workedMs = 0
  /** When this attempt began, and when its last entry was written. In milliseconds since 1970. */
  #attemptAt: number
  #lastAt: number

  constructor({ answerId, startedAt }: Pick<Run, 'answerId' | 'startedAt'>) {
    this.#answerId = answerId
    this.#attemptAt = Date.parse(startedAt)
    this.#lastAt = this.#attemptAt
  }

  /** How long the run has worked, in milliseconds. Time in which no process had the run does not count. */
  get workedMs(): number {
    return this.#workedMs + Math.max(0, this.#lastAt - this.#attemptAt)
  }

  /** Returns what was being done in a message. */
  of(messageId: MessageId): MessageTrace {
    const known = this.#messages.get(messageId)
    if (known !== undefined) return known
    const trace = new MessageTrace(messageId === this.#answerId ? 0 : this.workedMs)
    this.#messages.set(messageId, trace)
    return trace
  }

  add({ messageId, chunk, at }: Pick<Entry, 'messageId' | 'chunk' | 'at'>): void {
    // The sub-agents of the answer have such a mark, too.
    if (isContinued(chunk) && messageId === this.#answerId) this.#goOn(at)
    this.#lastAt = at
    this.of(messageId).add(chunk)
  }

  #goOn(at: number): void {
    this.#workedMs = this.workedMs
    this.#attemptAt = at
  }
}

/** What an agent was doing in its message. */
class MessageTrace {
  /** How long the run had worked when the message began, in milliseconds. */
  readonly beganMs: number
  /** What the finished steps have used, as far as that is known. */
  readonly usage: StepUsage[] = []
  #step: 'none' | 'open' | 'cut' | 'ended' = 'none'
  #hasText = false
  #hasCalls = false

  constructor(beganMs: number) {
    this.beganMs = beganMs
  }

  /** Whether a step of the message had begun and not ended. */
  get isInStep(): boolean {
    return this.#step === 'open' || this.#step === 'cut'
  }

  /** Whether the model had said everything: its last step ended with text and without a call. Only the end is missing. */
  get isComplete(): boolean {
    return this.#step === 'ended' && this.#hasText && !this.#hasCalls
  }

  add(chunk: Chunk): void {
    if (isContinued(chunk) && this.#step === 'open') this.#step = 'cut'
    const usage = stepUsageOf(chunk)
    if (usage !== undefined) this.usage.push(usage)
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
