import type { StepUsage } from '@throughline/protocol'
import type { Author } from '../authors.ts'

/** `model`: the model writes. `tool`: a tool works. `sub-agent`: another agent works. `wait`: a person has to decide. */
export type SpanKind = 'model' | 'tool' | 'sub-agent' | 'wait'

/** Something that took time. Times are milliseconds since 1970, as the entries have them. */
export interface Span {
  readonly kind: SpanKind
  /** The name of the tool; the number of the step for a model call. */
  readonly label: string
  readonly from: number
  readonly to: number
  /** Whether it had not ended when the log ended. */
  readonly isOpen: boolean
  /** The position of its first entry. */
  readonly seq: number
  /** Only for a model call that has ended: what it used, if the log says so. */
  readonly usage?: StepUsage | undefined
}

/** The line of one agent in the picture. */
export interface Lane {
  readonly agentKey: string
  readonly name: string
  /** How many agents are above it. */
  readonly depth: number
  /** In the order in which they ended. */
  readonly spans: readonly Span[]
}

/** A lane while the log is read. */
export interface LaneDraft extends Lane {
  readonly spans: Span[]
  /** Whether the last message on this lane has ended. Then the next message of the same agent is put here. */
  isFree: boolean
}

/** Returns a lane of the author's agent that is free; a new one below the agent's others when there is none. */
export function laneOf(lanes: LaneDraft[], { agentKey, name, depth }: Author): LaneDraft {
  const own = lanes.filter(lane => lane.agentKey === agentKey)
  const free = own.find(({ isFree }) => isFree)
  if (free !== undefined) {
    free.isFree = false
    return free
  }
  const lane: LaneDraft = { agentKey, name, depth, spans: [], isFree: false }
  const last = own.at(-1)
  lanes.splice(last === undefined ? lanes.length : lanes.indexOf(last) + 1, 0, lane)
  return lane
}
