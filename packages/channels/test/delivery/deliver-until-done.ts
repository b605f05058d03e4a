import type { Entry } from '@throughline/protocol'
import { isPending } from '@throughline/testing/faults/held-writes'
import { deliverRun } from '../../src/delivery/deliver-run.ts'
import type { DeliveryOptions } from '../../src/delivery/delivery.ts'
import { FakeClock } from '../fake-clock.ts'
import type { FakeChannel } from './fake-channel.ts'
import type { MemoryOutbox } from './memory-outbox.ts'
import { type Fault, Mortal } from './mortal.ts'

/** What remains when a process dies. */
export interface World {
  readonly log: readonly Entry[]
  readonly outbox: MemoryOutbox
  readonly channel: FakeChannel
  readonly options: DeliveryOptions
  /** How the log is read: the sizes of the pages, and the times between them. Repeated until the log ends. */
  readonly reading?: readonly { readonly entries: number; readonly afterMs: number }[]
}

/** Delivers a run with one process after the other. Faults end each of them, until the last one delivers the run. */
export async function deliverUntilDone(
  world: World,
  lives: readonly ReadonlyMap<number, Fault>[] = [],
): Promise<void> {
  for (const faults of [...lives, new Map<number, Fault>()]) await liveOn(world, new Mortal(faults))
}

async function liveOn(world: World, process: Mortal): Promise<void> {
  const clock = new FakeClock()
  // Like the server, the process tries again after a failure.
  for (let attempt = 0; world.outbox.advances.length === 0 && !process.isDead; attempt += 1) {
    if (attempt > 100) throw new Error('It is never delivered.')
    const closing = new AbortController()
    const delivered = deliverOnce(world, process, { clock, signal: closing.signal })
    delivered.catch(() => undefined)
    for (let minutes = 0; !process.isDead && (await isPending(delivered)); minutes += 1) {
      if (minutes > 500) throw new Error('The delivery hangs.')
      await clock.advance(60_000)
    }
    await clock.advance(1_000)
  }
}

export async function deliverOnce(
  { log, outbox, channel, options, reading = [{ entries: 512, afterMs: 0 }] }: World,
  process: Mortal,
  { clock, signal }: { readonly clock: FakeClock; readonly signal: AbortSignal },
): Promise<void> {
  async function* entries() {
    for (let start = 0, turn = 0; start < log.length; turn += 1) {
      const { entries: count, afterMs } = reading[turn % reading.length] ?? { entries: 1, afterMs: 0 }
      if (afterMs > 0) await new Promise<void>(resolve => clock.startTimer(resolve, afterMs))
      yield log.slice(start, start + count)
      start += count
    }
  }
  await deliverRun({
    channel: channel.of(clock.startTimer, process),
    target: 'room',
    inboundId: messageId => messageId.replace(/^in_/, ''),
    entries,
    outbox: outbox.of(process),
    readFile: async () => undefined,
    report: () => undefined,
    debug: () => undefined,
    signal,
    options,
    startTimer: clock.startTimer,
    now: () => clock.now,
  })
}
