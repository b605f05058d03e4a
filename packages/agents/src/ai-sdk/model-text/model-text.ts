import { ShownOnce } from './shown-once.ts'
import { type Piece, ThinkingSplitter } from './thinking-splitter.ts'

/** The text of one step of a model, as people should read it: nothing twice, and thinking as reasoning. */
export class ModelText {
  #once = new ShownOnce()
  readonly #thinking = new ThinkingSplitter()

  take(delta: string): readonly Piece[] {
    return this.#thinking.take(this.#once.take(delta))
  }

  /** Something else comes: returns what was held back until now. */
  pause(): readonly Piece[] {
    const rest = this.#once.pause()
    const pieces = this.#thinking.take(rest)
    const last = this.#thinking.pause()
    return last.length === 0 ? pieces : [...pieces, ...last]
  }

  /** The text is over, as its provider says; another one may follow in the same step. To be called after a pause. */
  endText(): void {
    this.#once = new ShownOnce()
    this.#thinking.endText()
  }
}
