import type { Nodes } from '@throughline/store'

interface PulseOptions {
  readonly nodes: Pick<Nodes, 'beat'>
  readonly nodeId: string
  /** A clock that never goes back, in milliseconds. */
  readonly clock: () => number
}

/** After so many milliseconds without a beat, a node must expect that others take it for dead soon. */
const maxSilenceMs = 10_000

/** The beat of this node, and how long ago the last one was. */
export class Pulse {
  readonly #options: PulseOptions
  #lastBeatAt: number | undefined

  constructor(options: PulseOptions) {
    this.#options = options
  }

  /** Beats once. Returns whether some other node is dead. Throws when the database cannot be reached. */
  async beat(): Promise<boolean> {
    const { nodes, nodeId, clock } = this.#options
    // Counted from before the beat: the database may have written it at any time since.
    const sentAt = clock()
    const isSomeoneDead = await nodes.beat(nodeId)
    this.#lastBeatAt = sentAt
    return isSomeoneDead
  }

  /**
   * Whether this node is surely alive for all others. They take its runs 15 seconds after the last beat. It is false from
   * 10 seconds on, so that work which must not be done twice stops in time, even when the process was paused.
   */
  get isFelt(): boolean {
    return this.#lastBeatAt !== undefined && this.#options.clock() - this.#lastBeatAt <= maxSilenceMs
  }
}
