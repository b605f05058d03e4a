import type { EndStatus } from '@throughline/protocol'
import type { Store } from '@throughline/store'

/** Reads how much of something there is right now. Called when somebody asks for the metrics. */
export interface Levels {
  /** The runs that go on in this process. */
  readonly activeRuns: () => number
  /** The streams that people watch. */
  readonly viewers: () => number
  /** The messages that were sent to this process and have no run yet. */
  readonly waitingSubmissions: () => number
  /** The chats that are being sent to a channel. */
  readonly deliveries: () => number
}

/** What one server tells about itself, for Prometheus. It has numbers only, and nothing of any user. */
export interface Metrics {
  /** The content type of `text`. */
  readonly contentType: string
  /** Returns all metrics in the text format of Prometheus. */
  text(): Promise<string>
  /** Returns a store that does the same, and counts what is appended and sent. */
  measured(store: Store): Store
  /** Says where the levels are read. A later call replaces an earlier one. */
  watch(levels: Levels): void
  runStarted(): void
  /** `undefined`: this process has saved no end, because it could not or because another one goes on with the run. */
  runEnded(status: EndStatus | undefined): void
  /** Counts runs that this node has taken over from another one. */
  tookOver(runCount: number): void
  /** Counts a run that this node has ended because its process died again and again. */
  endedDeadly(): void
}
