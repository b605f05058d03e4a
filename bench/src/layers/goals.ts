import { startChild } from '../child.ts'
import { type Flow, measureFlow } from '../load/measure-flow.ts'
import { measureIdle } from '../load/scenarios/idle.ts'
import { measureSoak } from '../load/scenarios/soak.ts'
import { measureNodesFlow } from '../scale/measure-nodes-flow.ts'

/** How large the loads are. Each has its own default, which is that of the goal. */
export interface LoadSize {
  /** How long the deltas of a measurement come. */
  readonly seconds?: number | undefined
  readonly runs?: number | undefined
  readonly viewers?: number | undefined
  /** How long the memory grows that is given back afterwards. */
  readonly minutes?: number | undefined
  /** How long a server is left alone before its memory is read. */
  readonly settleMs?: number | undefined
}

/** What a load needs. */
export interface LoadPlace extends LoadSize {
  /** Added to the environment of the servers. */
  readonly env: Readonly<Record<string, string>>
  /** The URL of a Postgres server whose user may create databases. */
  readonly postgres: () => Promise<string>
}

/** What was measured under one load. The units are in the names. All of it is better when it is less. */
type Figures = Readonly<Record<string, number>>

const plainServer = './load/servers/server-process.ts'
const each = { perSecond: 20, chars: 12 } as const

/** The loads of the goals. Each starts servers of its own. */
const loads = {
  async provider({ runs = 300, seconds = 10, env }: LoadPlace) {
    await using provider = await startChild('./load/servers/provider-process.ts')
    await using server = await startChild(plainServer, [provider.url], env)
    return await flowFigures({ server, sources: [provider] }, { ...each, runs, seconds })
  },
  async oneNode({ runs = 1_000, seconds = 10, env }: LoadPlace) {
    await using server = await startChild(plainServer, [], env)
    return await flowFigures({ server }, { ...each, runs, seconds })
  },
  async frequent({ runs = 20, seconds = 5, env }: LoadPlace) {
    await using server = await startChild(plainServer, [], env)
    return await flowFigures({ server }, { ...each, perSecond: 100, runs, seconds })
  },
  async fanOut({ viewers = 1_000, seconds = 10, env }: LoadPlace) {
    await using server = await startChild(plainServer, [], env)
    return await flowFigures({ server }, { ...each, perSecond: 50, runs: 1, viewersPerRun: viewers, seconds })
  },
  async nodes({ runs = 1_000, seconds = 20, env, postgres }: LoadPlace) {
    const serverUrl = await postgres()
    const figures = await measureNodesFlow({ serverUrl, nodes: 3, env }, { ...each, runs, seconds })
    return { p99Ms: figures.p99Ms, cpuPercent: (figures.nodesCores + (figures.postgresCores ?? 0)) * 100 }
  },
  async viewers({ viewers = 1_000, settleMs, env }: LoadPlace) {
    const { figures } = await measureIdle({ viewers, env, ...(settleMs !== undefined && { settleMs }) })
    return { viewerKB: (figures.watchedBytes - figures.emptyBytes) / 1024 / viewers }
  },
  async soak({ minutes = 1, env }: LoadPlace) {
    const { figures } = await measureSoak({ minutes, runsPerSecond: 20, runSeconds: 5, env })
    return { growth: figures.afterBytes / figures.emptyBytes }
  },
} satisfies Readonly<Record<string, (place: LoadPlace) => Promise<Figures>>>

async function flowFigures(server: Parameters<typeof measureFlow>[0], flow: Flow) {
  const figures = await measureFlow(server, flow)
  return {
    p99Ms: figures.p99Ms,
    cpuUs: figures.cpuUsPerDelta,
    writtenKB: figures.streamingBytesPerDelta / 1024,
  }
}

/** A figure of docs/benchmarks.md that has to be small. */
export interface LayerGoal {
  readonly name: string
  readonly unit: string
  /** The most it may be. `undefined` when there is no limit: then the cost without the layer counts. */
  readonly limit: number | undefined
  readonly load: LoadName
  /** Which figure of the load it is. */
  readonly figure: string
}

export type LoadName = keyof typeof loads

/** The goals that layers are there for. The limits are those of `npm run bench -- load` and `-- scale`. */
export const goals = {
  'provider p99': {
    name: '300 runs with a model behind HTTP, p99',
    ...{ load: 'provider', figure: 'p99Ms', unit: 'ms', limit: 150 },
  },
  'provider CPU': {
    name: '300 runs with a model behind HTTP, CPU per delta',
    ...{ load: 'provider', figure: 'cpuUs', unit: 'µs', limit: undefined },
  },
  'one node p99': {
    name: '1,000 runs in one process, p99',
    ...{ load: 'oneNode', figure: 'p99Ms', unit: 'ms', limit: 200 },
  },
  'one node CPU': {
    name: '1,000 runs in one process, CPU per delta',
    ...{ load: 'oneNode', figure: 'cpuUs', unit: 'µs', limit: undefined },
  },
  'nodes p99': {
    name: '1,000 runs over three nodes, p99',
    ...{ load: 'nodes', figure: 'p99Ms', unit: 'ms', limit: 100 },
  },
  'nodes CPU': {
    name: '1,000 runs over three nodes, CPU of nodes and Postgres',
    ...{ load: 'nodes', figure: 'cpuPercent', unit: '% of a core', limit: undefined },
  },
  'frequent deltas CPU': {
    name: '20 runs x 100/s, CPU per delta',
    ...{ load: 'frequent', figure: 'cpuUs', unit: 'µs', limit: undefined },
  },
  'frequent deltas written': {
    name: '20 runs x 100/s, written per delta',
    ...{ load: 'frequent', figure: 'writtenKB', unit: 'KB', limit: 2 },
  },
  'fan-out p99': {
    name: 'one run to 1,000 viewers, p99',
    ...{ load: 'fanOut', figure: 'p99Ms', unit: 'ms', limit: 150 },
  },
  'fan-out CPU': {
    name: 'one run to 1,000 viewers, CPU per delta and viewer',
    ...{ load: 'fanOut', figure: 'cpuUs', unit: 'µs', limit: undefined },
  },
  'viewer memory': {
    name: 'memory of each of 1,000 viewers that have watched an answer and wait',
    ...{ load: 'viewers', figure: 'viewerKB', unit: 'KB', limit: 25 },
  },
  'memory after load': {
    name: 'memory after load, against the start',
    ...{ load: 'soak', figure: 'growth', unit: 'x', limit: 1.5 },
  },
} as const satisfies Readonly<Record<string, LayerGoal>>

export type GoalName = keyof typeof goals

/** Measures one load. */
export function measureLoad(name: LoadName, place: LoadPlace): Promise<Figures> {
  return loads[name](place)
}
