import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import type { Child } from '../child.ts'
import type { AnswerPlan } from '../load/answer-plan.ts'
import { now, until } from '../load/clock.ts'
import { countsOf, type Flow, graceMs, plansOf, warmUpPlan } from '../load/measure-flow.ts'
import { figuresOf } from '../load/process-figures.ts'
import { probed } from '../load/servers/probe.ts'
import { createChat, followLog, sendMessage } from '../load/viewers/viewer-request.ts'
import { startViewers, type Viewers } from '../load/viewers/viewers.ts'
import { postgresCpuMs, postgresPid } from './postgres-cpu.ts'
import { startNode } from './start-node.ts'

/** What was measured while a flow went through some nodes. */
export interface NodesFigures extends ReturnType<typeof countsOf> {
  readonly nodes: number
  readonly runs: number
  readonly perSecond: number
  /** What reached the viewers while the sources were at work. */
  readonly deliveredPerSecond: number
  /** CPU time of all nodes together while the sources were at work, in cores. */
  readonly nodesCores: number
  /** The same of Postgres. Missing when it runs on another machine. */
  readonly postgresCores?: number | undefined
  /** That of the node with the slowest event loop. */
  readonly loopDelayP99Ms: number
}

interface NodesOptions {
  readonly serverUrl: string
  /** How many nodes share the database. */
  readonly nodes: number
  /** Added to the environment of the nodes. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Starts some nodes on a new database, and all runs on them, evenly. Each run has one viewer, on the next node. With one
 * node, that is the node of the run. Lets the deltas come at their times, and counts what the viewers get.
 */
export async function measureNodesFlow(options: NodesOptions, flow: Flow): Promise<NodesFigures> {
  await using database = await freshDatabase(options.serverUrl)
  await using started = new AsyncDisposableStack()
  const nodes: Child[] = []
  for (let count = 0; count < options.nodes; count += 1)
    nodes.push(started.use(await startNode(database.url, options.env)))
  const postgres = await postgresPid(database.url)
  await using viewers = await startViewers(flow.runs)
  await warmUp(viewers, nodes)
  await startRuns(viewers, nodes, plansOf(flow))
  for (const node of nodes) await node.ask('probeStart')
  const gate = now() + 300
  await viewers.setGate(gate)
  for (const node of nodes) await node.ask('gate', gate)
  const before = await cpuOf(nodes, postgres)
  const end = gate + flow.seconds * 1_000
  await until(end)
  const delivered = await viewers.delivered()
  const after = await cpuOf(nodes, postgres)
  const ms = now() - gate
  const loopDelayP99Ms = Math.max(...(await Promise.all(nodes.map(loopDelayOf))))
  const seen = await viewers.finish(end + graceMs)
  return {
    ...{ nodes: options.nodes, runs: flow.runs, perSecond: flow.perSecond },
    ...countsOf(seen, flow),
    deliveredPerSecond: (delivered * 1_000) / ms,
    nodesCores: (after.nodesMs - before.nodesMs) / ms,
    postgresCores:
      after.postgresMs === undefined || before.postgresMs === undefined
        ? undefined
        : (after.postgresMs - before.postgresMs) / ms,
    loopDelayP99Ms,
  }
}

/** Lets the nodes make some answers for viewers on other nodes, so that their code is compiled before it is measured. */
async function warmUp(viewers: Viewers, nodes: readonly Child[]): Promise<void> {
  await startRuns(
    viewers,
    nodes,
    Array.from({ length: 100 * nodes.length }, () => warmUpPlan()),
  )
  await viewers.finish(now() + graceMs)
  await viewers.leave()
}

/** Starts a run with its viewer for each plan. */
async function startRuns(
  viewers: Viewers,
  nodes: readonly Child[],
  plans: readonly AnswerPlan[],
): Promise<void> {
  const runs = plans.map(plan => ({ plan, chatId: crypto.randomUUID() }))
  for (const [place, node] of nodes.entries()) {
    const own = runs.filter((_, index) => index % nodes.length === place)
    const next = nodes[(place + 1) % nodes.length] ?? node
    await viewers.request(
      node.url,
      own.map(({ chatId }) => createChat(chatId)),
    )
    await viewers.open(
      next.url,
      own.map(({ chatId, plan }) => followLog(chatId, plan)),
    )
    await viewers.request(
      node.url,
      own.map(({ chatId, plan }) => sendMessage(chatId, plan)),
    )
  }
}

async function loopDelayOf(node: Child): Promise<number> {
  return probed.parse(await node.ask('probe')).loopDelayP99Ms
}

async function cpuOf(nodes: readonly Child[], postgres: number | undefined) {
  const figures = await Promise.all(nodes.map(({ pid }) => figuresOf(pid)))
  const nodesNs = figures.reduce((sum, each) => sum + each.mainNs + each.workerNs + each.otherNs, 0)
  return {
    nodesMs: nodesNs / 1e6,
    postgresMs: postgres === undefined ? undefined : await postgresCpuMs(postgres),
  }
}
