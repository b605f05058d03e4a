import type { AgentEvent, TokenCounts } from '../agent/agent-event.ts'
import type { ServiceErrors } from './service-errors.ts'

/** What a reader finds in a stream: what the agent does, and what its models used. */
export type RemoteEvent = AgentEvent | RemoteUsage

/** The usage of one model. `model` has the form `provider:model`. */
export interface RemoteUsage {
  readonly type: 'usage'
  readonly model: string
  readonly counts: TokenCounts
}

/**
 * How far a stream has come. `open`: more must follow. `complete`: the answer is whole, but more may follow. `done`:
 * nothing follows.
 */
export type StreamProgress = 'open' | 'complete' | 'done'

/** Reads one stream of one form. It does no I/O. */
export interface FormReader {
  readonly progress: StreamProgress
  /**
   * Takes the data of the next SSE event. Throws a `RemoteServiceError` when it cannot be read. Then nothing of it was
   * taken.
   */
  read(data: string): readonly RemoteEvent[]
  /** Call this once, when the stream has ended or has broken. Returns what was held back. */
  end(): readonly RemoteEvent[]
}

/** What readers know of the service. */
export interface ReaderOptions {
  readonly errors: ServiceErrors
  /** The name of the agent. It is the provider of models whose provider the service does not name. */
  readonly provider: string
  /** Whether the text comes as a model's provider sends it, perhaps twice. Default: true. */
  readonly isModelText?: boolean
}
