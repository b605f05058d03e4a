import { untilAborted } from '@throughline/protocol/internal'
import type { Nodes } from '@throughline/store'

interface PulseOptions {
  readonly nodes: Pick<Nodes, 'beat'>
  readonly nodeId: string
  /** A clock that never goes back, in milliseconds. */
  readonly clock: () => number
  /**
   * How long a beat may take, in milliseconds. It may hang on a dead connection for longer than a node may be silent, while
   * the next one gets another connection. Default: 4,000.
   */
  readonly maxBeatMs?: number
}

/** How often a node beats, in milliseconds. */
export const beatMs = 3_000
/** After a beat that failed, the next one comes earlier: when the database is back, others have little time to hear it. */
const beatAgainMs = 1_000
/** After this many milliseconds without a beat, a node must expect that others take it for dead soon. */
const maxSilenceMs = 10_000
/** When two beats were this many milliseconds apart, something held the node up, and perhaps the others, too. */
const suspiciousSilenceMs = 7_500
/** How long the others then have to beat again before their runs are taken, in milliseconds. */
const graceMs = 2 * beatMs

/** The beat of this node, and how long ago the last one was. */
export class Pulse {
  readonly #options: PulseOptions
  #lastBeatAt: number | undefined
  #graceUntil = Number.NEGATIVE_INFINITY
  #lastTryAt: number | undefined
  /** Since the last beat, there was a long time in which this process did not even try. */
  #hasStoodStill = false
  #wasCutOff = false
  /** The last try has failed. If the database was away, no other node could beat either. */
  #hasFailed = false

  constructor(options: PulseOptions) {
    this.#options = options
  }

  /** Beats once. Returns whether some other node is dead. Throws when the database does not respond in time. */
  async beat(): Promise<boolean> {
    const { nodes, nodeId, clock, maxBeatMs = 4_000 } = this.#options
    // Counted from before the beat: the database may have written it at any time since.
    const sentAt = clock()
    if (sentAt - (this.#lastTryAt ?? sentAt) > maxSilenceMs) this.#hasStoodStill = true
    this.#lastTryAt = sentAt
    const hadFailed = this.#hasFailed
    this.#hasFailed = true
    const beat = nodes.beat(nodeId)
    const { isSomeoneDead, silentMs } = await untilAborted(beat, AbortSignal.timeout(maxBeatMs))
    this.#hasFailed = false
    // The database does not know for how long, if others have forgotten this node meanwhile.
    const silentHereMs = sentAt - (this.#lastBeatAt ?? sentAt)
    if (silentHereMs > suspiciousSilenceMs && !this.#hasStoodStill) this.#wasCutOff = true
    this.#hasStoodStill = false
    this.#lastBeatAt = sentAt
    if (hadFailed || silentMs > suspiciousSilenceMs) this.#graceUntil = clock() + graceMs
    return isSomeoneDead
  }

  /** How long to wait before the next beat, in milliseconds. */
  get pauseMs(): number {
    return this.#hasFailed ? beatAgainMs : beatMs
  }

  /**
   * Whether this node is surely alive for all others. They take its runs 15 seconds after the last beat. It is false from
   * 10 seconds on, so that work which must not be done twice stops in time, even when the process was paused.
   */
  get isFelt(): boolean {
    return this.#lastBeatAt !== undefined && this.#options.clock() - this.#lastBeatAt <= maxSilenceMs
  }

  /**
   * Whether this node could not be heard for some time, although it tried to beat all the time. Then others may have taken it
   * for dead, but it is no run that has killed it or held it up.
   */
  get wasCutOff(): boolean {
    return this.#wasCutOff
  }

  /** To be called when the others know that this node was cut off. */
  forgetCutOff(): void {
    this.#wasCutOff = false
  }

  /**
   * Whether this node may take the runs of nodes that seem to be dead. While the database is away, no node can beat:
   * whoever beats first afterwards must not take the runs of all the others. So they have six seconds in which the database
   * works. And a node that others may take for dead takes
   * none, because they would be taken from it again.
   */
  get mayTakeRuns(): boolean {
    return this.isFelt && this.#options.clock() >= this.#graceUntil
  }
}
