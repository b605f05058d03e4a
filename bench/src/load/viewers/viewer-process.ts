import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { serveBench } from '../../child.ts'
import { now } from '../clock.ts'
import { Latencies } from '../latencies.ts'
import { type Counts, Viewer } from './viewer.ts'
import { viewerRequest } from './viewer-request.ts'

// A process with many viewers. It is a load generator: it does as little as possible for each byte.
const openParameters = z.object({
  url: z.string(),
  requests: z.array(viewerRequest),
  /** How many connections are being opened at a time. */
  atOnce: z.number(),
})

/** How long a resumed viewer waits for its first delta, in milliseconds. */
const maxResumeMs = 30_000

let viewers: readonly Viewer[] = []
let counts = noCounts()

serveBench('', {
  /** Opens connections that stay open. Replies with how long the heads of the responses took. */
  async open(parameters) {
    const { url, requests, atOnce } = openParameters.parse(parameters)
    const opened = requests.map(request => new Viewer(new URL(url), request, counts))
    // One viewer of each group is compared byte for byte, afterwards.
    opened.find(({ isOfLog }) => isOfLog)?.keep()
    for (const viewer of viewers) if (viewer.isDone) viewer.cut()
    viewers = [...viewers.filter(viewer => !viewer.isDone), ...opened]
    return timed(opened, atOnce, viewer => viewer.open())
  },
  /** Sends requests, waits for the heads of the responses, and hangs up. Replies with how long they took. */
  async request(parameters) {
    const { url, requests, atOnce } = openParameters.parse(parameters)
    const senders = requests.map(({ plan: _, ...request }) => new Viewer(new URL(url), request, counts))
    return timed(senders, atOnce, async sender => {
      await sender.open()
      sender.cut()
    })
  },
  async gate(time) {
    for (const viewer of viewers) viewer.setGate(Number(time))
  },
  async stall() {
    for (const viewer of viewers) viewer.stall()
  },
  /** Cuts all connections at once, and resumes them. Replies with the times from the cut to the first delta. */
  async cutAndResume() {
    const cutAt = now()
    const cut = viewers.filter(viewer => !viewer.isDone)
    for (const viewer of cut) viewer.cut()
    await Promise.all(cut.map(viewer => viewer.resume()))
    const isWaiting = (viewer: Viewer) => viewer.resumedAt === undefined && !viewer.isDone
    while (cut.some(isWaiting) && now() < cutAt + maxResumeMs) await wait(10)
    const times = new Latencies()
    for (const viewer of cut) times.add((viewer.resumedAt ?? now()) - cutAt)
    return times.pairs()
  },
  /** Waits until all viewers have seen the ends of their answers, or until a time. Replies with what was counted. */
  async finish(time) {
    while (viewers.some(viewer => !viewer.isDone) && now() < Number(time)) await wait(10)
    return report()
  },
  async delivered() {
    return counts.delivered
  },
  /** Hangs up. */
  async leave() {
    for (const viewer of viewers) viewer.cut()
    viewers = []
    counts = noCounts()
  },
  async close() {
    for (const viewer of viewers) viewer.cut()
  },
})

async function timed(
  all: readonly Viewer[],
  atOnce: number,
  act: (viewer: Viewer) => Promise<void>,
): Promise<unknown> {
  const times = new Latencies()
  const left = all.values()
  const work = async () => {
    for (const viewer of left) {
      const startedAt = now()
      await act(viewer)
      times.add(now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return times.pairs()
}

function report() {
  const missing = viewers.reduce((sum, viewer) => sum + viewer.countMissing(), 0)
  const { latencies, ...numbers } = counts
  const logs = viewers.flatMap(({ kept }) => kept ?? [])
  return { ...numbers, missing, latencies: latencies.pairs(), logs }
}

function noCounts(): Counts {
  return { latencies: new Latencies(), delivered: 0, lost: 0, doubled: 0, events: 0, broken: 0 }
}
