import { z } from 'zod'
import { type Child, startChild } from '../../child.ts'
import { Latencies, latencyPairs } from '../latencies.ts'
import type { ViewerRequest } from './viewer-request.ts'

/** How many viewers one process has at most, unless there are very many of them. */
const viewersPerProcess = 500
const maxProcesses = 3

const viewerReport = z.object({
  delivered: z.number(),
  lost: z.number(),
  doubled: z.number(),
  missing: z.number(),
  events: z.number(),
  broken: z.number(),
  latencies: latencyPairs,
  /** What a few viewers got who follow a log. */
  logs: z.array(z.object({ chatId: z.string(), bytes: z.string() })),
})

/** What all viewers have seen together. */
export interface Seen extends Omit<z.infer<typeof viewerReport>, 'latencies'> {
  readonly latencies: Latencies
}

/** Viewers in their own processes. Requests are spread evenly over the processes. */
export interface Viewers extends AsyncDisposable {
  /** Opens connections. Returns how long the heads of the responses took. */
  open(url: string, requests: readonly ViewerRequest[], atOnce?: number): Promise<Latencies>
  /** Sends requests, and hangs up when the head of the response is there. Returns how long that took. */
  request(url: string, requests: readonly ViewerRequest[], atOnce?: number): Promise<Latencies>
  /** Tells all viewers when the gate opens. */
  setGate(time: number): Promise<void>
  stall(): Promise<void>
  /** Cuts all connections and resumes them. Returns the times from the cut to the first delta. */
  cutAndResume(): Promise<Latencies>
  /** Returns how many deltas have been delivered so far. */
  delivered(): Promise<number>
  /** Resolves when all viewers have seen their answers to the end, or at a time. What is not there then is missing. */
  finish(until: number): Promise<Seen>
  /** Closes all connections, and forgets what was counted. */
  leave(): Promise<void>
}

/** Starts the processes for a number of viewers. */
export async function startViewers(count: number): Promise<Viewers> {
  const processes = Math.min(maxProcesses, Math.ceil(count / viewersPerProcess))
  const children = await Promise.all(
    Array.from({ length: processes }, () => startChild('./load/viewers/viewer-process.ts')),
  )
  return viewersOf(children)
}

function viewersOf(children: readonly Child[]): Viewers {
  const askAll = (request: string, parameters?: unknown) =>
    Promise.all(children.map(child => child.ask(request, parameters)))
  const spread = async (request: string, url: string, requests: readonly ViewerRequest[], atOnce = 100) => {
    const replies = await Promise.all(
      children.map((child, index) => {
        const share = requests.filter((_, number) => number % children.length === index)
        return child.ask(request, { url, requests: share, atOnce: Math.ceil(atOnce / children.length) })
      }),
    )
    return joined(replies)
  }
  return {
    open: (url, requests, atOnce) => spread('open', url, requests, atOnce),
    request: (url, requests, atOnce) => spread('request', url, requests, atOnce),
    setGate: async time => void (await askAll('gate', time)),
    stall: async () => void (await askAll('stall')),
    cutAndResume: async () => joined(await askAll('cutAndResume')),
    delivered: async () => (await askAll('delivered')).reduce<number>((sum, each) => sum + Number(each), 0),
    finish: async until => seenBy(await askAll('finish', until)),
    leave: async () => void (await askAll('leave')),
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(child => child[Symbol.asyncDispose]()))
    },
  }
}

function joined(replies: readonly unknown[]): Latencies {
  const latencies = new Latencies()
  for (const reply of replies) latencies.addPairs(latencyPairs.parse(reply))
  return latencies
}

function seenBy(replies: readonly unknown[]): Seen {
  const reports = replies.map(reply => viewerReport.parse(reply))
  const sum = (key: 'delivered' | 'lost' | 'doubled' | 'missing' | 'events' | 'broken') =>
    reports.reduce((total, report) => total + report[key], 0)
  const latencies = joined(reports.map(report => report.latencies))
  return {
    delivered: sum('delivered'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    missing: sum('missing'),
    events: sum('events'),
    broken: sum('broken'),
    latencies,
    logs: reports.flatMap(({ logs }) => logs),
  }
}
