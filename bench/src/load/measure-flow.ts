import type { Child } from '../child.ts'
import { sleep } from '../timing.ts'
import type { AnswerPlan } from './answer-plan.ts'
import { assertSound, type PlannedChat } from './assert-sound.ts'
import { now, until } from './clock.ts'
import { figuresOf, type ProcessFigures } from './process-figures.ts'
import { probed } from './servers/probe.ts'
import { askFor, createChat, followLog, sendMessage } from './viewers/viewer-request.ts'
import { type Seen, startViewers, type Viewers } from './viewers/viewers.ts'

/** Many runs at the same time, each with its own chat. */
export interface Flow {
  readonly runs: number
  /** How many viewers follow each run. By default only the one who has asked. */
  readonly viewersPerRun?: number
  /** The deltas of one run, per second. */
  readonly perSecond: number
  /** The characters of a delta. */
  readonly chars: number
  readonly seconds: number
}

/** What was measured while a flow went through a server. */
export interface FlowFigures {
  readonly runs: number
  readonly perSecond: number
  readonly chars: number
  /** How many deltas the viewers should get, and how many they got. */
  readonly deltas: number
  readonly delivered: number
  /** Deltas that were left out although later ones came, and deltas that came twice. */
  readonly lost: number
  readonly doubled: number
  /** Deltas that had not come when the measurement ended, ten seconds after the last one was due. */
  readonly late: number
  /** What reached the viewers while the sources were at work. */
  readonly deliveredPerSecond: number
  /** The SSE events in which the deltas came. Ours joins short deltas in one entry, and each entry is one event. */
  readonly events: number
  /** From when a delta was due to when its viewer had it. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the threads while the sources were at work, as a share of one core. */
  readonly mainShare: number
  readonly workerShare: number
  readonly otherShare: number
  /** CPU time of all threads per delta, with the ends of the runs. */
  readonly cpuUsPerDelta: number
  /** What was written to disk per delta while the sources were at work, and with the ends of the runs. */
  readonly streamingBytesPerDelta: number
  readonly bytesPerDelta: number
  readonly peakRssBytes: number
  readonly heapBytes: number
  readonly loopDelayP99Ms: number
}

/** How long the viewers wait after the last delta was due, in milliseconds. */
export const graceMs = 10_000
/** How long a server may work on after the last byte, for example to save the messages. */
export const afterworkMs = 500

/** The server, and the processes in which its deltas come into being. Without a provider that is the server itself. */
export interface FlowServer {
  readonly server: Child
  readonly sources?: readonly Child[]
  /** What others do with the server at the same time, until a time. */
  readonly beside?: (until: number) => Promise<unknown>
  /** Whether the server saves chats, as ours does. Then some are checked in the end. Default: true. */
  readonly savesChats?: boolean
}

/**
 * Starts all runs, lets their deltas come at their times, and counts what the viewers get. When everything has come, throws if
 * the checker of histories finds something wrong.
 */
export async function measureFlow(
  { server, sources = [server], beside, savesChats = true }: FlowServer,
  flow: Flow,
): Promise<FlowFigures> {
  await using viewers = await startViewers(flow.runs * (flow.viewersPerRun ?? 1))
  await warmUp(viewers, server.url)
  const chats = await startRuns(viewers, server.url, flow)
  await server.ask('probeStart')
  const gate = now() + 300
  await viewers.setGate(gate)
  for (const source of sources) await source.ask('gate', gate)
  const before = await figuresOf(server.pid)
  const end = gate + flow.seconds * 1000
  const others = beside?.(end)
  await until(end)
  await others
  const delivered = await viewers.delivered()
  const streamed = await figuresOf(server.pid)
  const ms = now() - gate
  const { loopDelayP99Ms, heapBytes } = probed.parse(await server.ask('probe'))
  const seen = await viewers.finish(end + graceMs)
  await sleep(afterworkMs)
  const after = await figuresOf(server.pid)
  // What has not come in time may still be written.
  if (savesChats && seen.missing === 0) await assertSound(server.url, { chats, seen: seen.logs })
  return {
    ...{ runs: flow.runs, perSecond: flow.perSecond, chars: flow.chars },
    ...countsOf(seen, flow),
    ...costsOf({ before, streamed, after }, { ms, delivered, seen }),
    peakRssBytes: after.peakRssBytes,
    ...{ heapBytes, loopDelayP99Ms },
  }
}

/** Lets the server answer a hundred questions, so that its code is compiled before it is measured. */
export async function warmUp(viewers: Viewers, url: string): Promise<void> {
  const plan = warmUpPlan()
  await viewers.open(
    url,
    Array.from({ length: 100 }, () => askFor(plan)),
  )
  await viewers.finish(now() + graceMs)
  await viewers.leave()
}

/** Returns the plan of an answer of two seconds that begins now. */
export function warmUpPlan(): AnswerPlan {
  return { from: '1970', startMs: now(), intervalMs: 10, deltas: 200, chars: 12 }
}

/** Starts the runs with their viewers. They wait at the gate. */
async function startRuns(viewers: Viewers, url: string, flow: Flow): Promise<readonly PlannedChat[]> {
  const plans = plansOf(flow)
  const { viewersPerRun } = flow
  if (viewersPerRun === undefined) {
    const asked = plans.map(plan => ({ chatId: crypto.randomUUID(), plan }))
    await viewers.open(
      url,
      asked.map(({ chatId, plan }) => askFor(plan, chatId)),
    )
    return asked
  }
  const shared = plans.map((plan, index) => ({ chatId: `shared-${index}`, plan }))
  for (const { chatId, plan } of shared) {
    await viewers.request(url, [createChat(chatId)])
    await viewers.open(
      url,
      Array.from({ length: viewersPerRun }, () => followLog(chatId, plan)),
    )
    await viewers.request(url, [sendMessage(chatId, plan)])
  }
  return shared
}

/** Returns the plan of each run. */
export function plansOf({ runs, perSecond, chars, seconds }: Flow): readonly AnswerPlan[] {
  const intervalMs = 1000 / perSecond
  const deltas = Math.round(seconds * perSecond)
  // The runs are not in step: their deltas are spread evenly over the interval.
  return Array.from({ length: runs }, (_, run) => {
    return { from: 'gate', startMs: (run * intervalMs) / runs, intervalMs, deltas, chars }
  })
}

/** Returns what the viewers of a flow have got, and how late. */
export function countsOf(
  { latencies, missing, ...seen }: Seen,
  { runs, viewersPerRun = 1, perSecond, seconds }: Flow,
) {
  return {
    deltas: Math.round(seconds * perSecond) * runs * viewersPerRun,
    delivered: seen.delivered,
    lost: seen.lost,
    doubled: seen.doubled,
    late: missing,
    events: seen.events,
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
  }
}

interface Moments {
  readonly before: ProcessFigures
  readonly streamed: ProcessFigures
  readonly after: ProcessFigures
}

interface Window {
  readonly ms: number
  /** The deltas that were delivered at the end of the window. */
  readonly delivered: number
  readonly seen: Seen
}

/** Returns what a flow has cost the server. */
export function costsOf({ before, streamed, after }: Moments, { ms, delivered, seen }: Window) {
  const share = (key: 'mainNs' | 'workerNs' | 'otherNs') => (streamed[key] - before[key]) / 1e6 / ms
  const cpuNs = (figures: ProcessFigures) => figures.mainNs + figures.workerNs + figures.otherNs
  return {
    deliveredPerSecond: (delivered * 1000) / ms,
    mainShare: share('mainNs'),
    workerShare: share('workerNs'),
    otherShare: share('otherNs'),
    cpuUsPerDelta: (cpuNs(after) - cpuNs(before)) / 1000 / seen.delivered,
    streamingBytesPerDelta: (streamed.writtenBytes - before.writtenBytes) / delivered,
    bytesPerDelta: (after.writtenBytes - before.writtenBytes) / seen.delivered,
  }
}
