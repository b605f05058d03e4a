import { setTimeout as pause } from 'node:timers/promises'
import type { Gate } from './http/listen/gate.ts'
import type { Services } from './http/request/context.ts'

/** How a process goes down. */
export interface GoingDown {
  /** See `Throughline.drain`. */
  drain(): Promise<void>
  /** Ends a drain that is under way. */
  endDrain(): void
  /** See `Throughline.close`. */
  close(): Promise<void>
}

/** What going down needs. */
export interface GoingDownOptions {
  readonly services: Services
  readonly gate: Gate
  /** How long requests are still taken; `undefined` for the default. */
  readonly drainMs: number | undefined
  /** How long responses stay open that show one answer, after the runs were left to other nodes. */
  readonly finishMs: number
  /** Ends the streams whose viewers come back by themselves. */
  readonly endLogs: () => void
  /** Ends all other streams, and everybody who waits. */
  readonly endAll: () => void
  readonly stopSweeping: () => Promise<void>
}

/**
 * How long a node takes requests after it has said that it goes down, when there are others, in milliseconds. Longer than
 * load balancers need to notice that, and than our documented proxies keep an idle connection.
 */
const nodeDrainMs = 5_000

/**
 * Takes a process down in such a way that nobody behind a proxy notices, if other nodes are alive.
 *
 * 1. `/ready` fails, and no connection is kept for another request. Everything else goes on, so that load balancers have
 *    time to notice.
 * 2. The runs are left to other nodes. A submission that still comes is saved, and begins there.
 * 3. The streams of logs end: their viewers come back elsewhere. A response that shows one answer stays open, and follows the
 *    answer while another node writes it.
 * 4. What is still open is cut.
 */
export function goingDown(options: GoingDownOptions): GoingDown {
  const { services, gate, drainMs, finishMs } = options
  const { node, runKeeper, readiness, runner, channels } = services
  const drainEnd = new AbortController()

  async function drainOnce(): Promise<void> {
    readiness.closing()
    gate.letGo()
    const ms = drainMs ?? ((await node?.hasOthers()) ? nodeDrainMs : 0)
    await pause(ms, undefined, { signal: drainEnd.signal }).catch(() => undefined)
  }

  async function end(): Promise<void> {
    await drain()
    const hasOthers = (await node?.hasOthers()) === true
    await runKeeper.refuseNew()
    // Runs first: afterwards this process writes nothing more to the log.
    if (hasOthers) await leaveRuns(services)
    else await runner.close()
    await channels.close()
    await runKeeper.close()
    await options.stopSweeping()
    // Every stream shows what the log has, and then ends.
    options.endLogs()
    if (hasOthers) await gate.settle(finishMs)
    runner.refuseNew()
    options.endAll()
    await gate.close()
  }

  let drained: Promise<void> | undefined
  let ended: Promise<void> | undefined
  const drain = () => (drained ??= drainOnce())
  const endDrain = () => drained && drainEnd.abort()
  return {
    drain,
    endDrain,
    close() {
      endDrain()
      ended ??= end()
      return ended
    },
  }
}

/** Leaves the runs to other nodes, which go on with them. */
async function leaveRuns({ runner, node }: Services): Promise<void> {
  runner.leaveNew()
  await node?.leaveRuns()
}
