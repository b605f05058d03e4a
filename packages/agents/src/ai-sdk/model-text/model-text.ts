import type { AgentEvent } from '../../agent-event.ts'
import { ShownOnce } from './shown-once.ts'
import { type Piece, ThinkingSplitter } from './thinking-splitter.ts'

/** Makes a model's text of one step fit to read: removes repetitions, and turns thinking into reasoning. */
export class ModelText {
  #once = new ShownOnce()
  readonly #thinking = new ThinkingSplitter()

  take(delta: string): readonly Piece[] {
    return this.#thinking.take(this.#once.take(delta))
  }

  /** Call this when something other than text comes. Returns what was held back. */
  pause(): readonly Piece[] {
    const rest = this.#once.pause()
    const pieces = this.#thinking.take(rest)
    const last = this.#thinking.pause()
    return last.length === 0 ? pieces : [...pieces, ...last]
  }

  /** Call this, after `pause`, when the provider ends the text. Another text may follow in the same step. */
  endText(): void {
    this.#once = new ShownOnce()
    this.#thinking.endText()
  }
}

/** Returns the events of pieces of a text. */
export function textEvents(pieces: readonly Piece[]): readonly AgentEvent[] {
  return pieces.map(({ type, text }) => ({ type: `${type}-delta` as const, text }))
}
