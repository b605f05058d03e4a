import type { EndStatus } from '@throughline/protocol'
import type { SettledOutboxItem } from '@throughline/protocol/internal'
import type { Store } from '@throughline/store'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { LogProbe, measuredLog } from './log-probe.ts'
import type { Levels, Metrics } from './metrics.ts'
import { Tally } from './tally.ts'

/** In seconds: from a commit in memory to a database that is about to fail. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Every way in which a run can end. `unsaved`: this process has saved no end. */
const endStatuses: Readonly<Record<EndStatus | 'unsaved', true>> = {
  finished: true,
  stopped: true,
  failed: true,
  limit: true,
  interrupted: true,
  unsaved: true,
}

/**
 * The metrics in the library for Prometheus. What happens often is only counted in plain numbers: see `Tally`. The
 * library reads them when somebody asks.
 */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry()
  readonly #tally: Tally
  readonly #probe: LogProbe
  /** The clock that the times in entries come from: that of the store. */
  #nowMs = Date.now
  readonly #runsStarted: Counter
  readonly #runsEnded: Counter
  readonly #takeovers: Counter
  readonly #deadlyRuns: Counter
  readonly #channelItems: Counter
  #levels: Levels | undefined

  constructor() {
    const commits = this.#histogram(
      'throughline_commit_seconds',
      'From an append to its commit. One append is measured in each turn of the event loop.',
    )
    const bells = this.#histogram(
      'throughline_bell_seconds',
      'From the time in an entry to the bell that tells this node of it. Measured for a sample of the chats that somebody follows.',
    )
    const lags = this.#histogram(
      'throughline_lag_seconds',
      'From the time in an entry until a follower has passed it on, such as to a socket. Measured for a sample of the chats that somebody follows.',
    )
    this.#tally = new Tally(seconds => commits.observe(seconds))
    this.#probe = new LogProbe({
      now: () => this.#nowMs(),
      onBell: seconds => bells.observe(seconds),
      onLag: seconds => lags.observe(seconds),
    })
    this.#runsStarted = this.#counter('throughline_runs_started_total', 'Runs that this node has begun.')
    this.#runsEnded = this.#counter(
      'throughline_runs_ended_total',
      'Runs that ended on this node, by status.',
      ['status'],
    )
    for (const status of Object.keys(endStatuses)) this.#runsEnded.inc({ status }, 0)
    this.#takeovers = this.#counter('throughline_takeovers_total', 'Runs taken over from another node.')
    this.#deadlyRuns = this.#counter(
      'throughline_deadly_runs_total',
      'Runs that this node has ended because their process died again and again.',
    )
    this.#channelItems = this.#counter(
      'throughline_channel_items_total',
      'Messages to channels, by how it went.',
      ['status'],
    )
    for (const status of ['sent', 'failed']) this.#channelItems.inc({ status }, 0)
    this.#addLevels()
    collectDefaultMetrics({ register: this.#registry })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  measured(store: Store): Store {
    this.#nowMs = () => store.now().getTime()
    const log = measuredLog(store.log, { tally: this.#tally, probe: this.#probe })
    const outbox = measuredOutbox(store.outbox, status => this.#channelItems.inc({ status }))
    return { ...store, log, outbox }
  }

  watch(levels: Levels): void {
    this.#levels = levels
  }

  runStarted(): void {
    this.#runsStarted.inc()
  }

  runEnded(status: EndStatus | undefined): void {
    this.#runsEnded.inc({ status: status ?? 'unsaved' })
  }

  tookOver(runCount: number): void {
    this.#takeovers.inc(runCount)
  }

  endedDeadly(): void {
    this.#deadlyRuns.inc()
  }

  #addLevels(): void {
    const tally = this.#tally
    this.#level('throughline_runs_active', 'Runs that go on in this process.', levels => levels.activeRuns())
    this.#level('throughline_viewers', 'Streams that people watch on this node.', levels => levels.viewers())
    this.#level(
      'throughline_submissions_waiting',
      'Messages that were sent to this node and have no run yet.',
      levels => levels.waitingSubmissions(),
    )
    this.#level('throughline_channel_deliveries_active', 'Chats that are being sent to a channel.', levels =>
      levels.deliveries(),
    )
    this.#level('throughline_appends_waiting', 'Appends that are not committed yet.', () => tally.waiting)
    const registers = [this.#registry]
    new Counter({
      name: 'throughline_entries_appended_total',
      help: 'Entries that this node has committed.',
      registers,
      collect() {
        this.reset()
        this.inc(tally.entries)
      },
    })
    new Counter({
      name: 'throughline_appends_failed_total',
      help: 'Appends that failed: the store could not write, or another node had taken the log over.',
      registers,
      collect() {
        this.reset()
        this.inc(tally.failed)
      },
    })
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
  }

  #histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.#registry] })
  }

  /** A level is 0 until the server says where it is read. */
  #level(name: string, help: string, read: (levels: Levels) => number): void {
    const now = () => (this.#levels === undefined ? 0 : read(this.#levels))
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(now())
      },
    })
  }
}

type Outbox = Store['outbox']

/** Returns an outbox that does the same, and calls `onSettled` for each item that a channel has taken or refused. */
function measuredOutbox(outbox: Outbox, onSettled: (status: SettledOutboxItem['status']) => void): Outbox {
  return {
    ...outbox,
    async settle(chat, settled) {
      await outbox.settle(chat, settled)
      onSettled(settled.status)
    },
  }
}
