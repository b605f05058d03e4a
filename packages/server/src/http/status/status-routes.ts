import { readFileSync } from 'node:fs'
import { modelName } from '@throughline/agents/internal'
import { ProblemError } from '@throughline/protocol'
import type { OperatorStatus, ServerStatus, UsageBody } from '@throughline/protocol/internal'
import { modelOf } from '../../who/asked-agent.ts'
import type { HttpContext, Services } from '../request/context.ts'
import type { Route } from '../request/route.ts'

/** The route that says how the server is doing. Operators see more than others. */
export function statusRoutes(services: Services): readonly Route[] {
  return [
    { method: 'GET', path: '/api/status', policy: 'owner', handle: context => status(context, services) },
  ]
}

async function status(context: HttpContext, services: Services): Promise<Response> {
  const { agents, system, store, isOperator } = services
  // Its problem may contain a path, so only the operator reads it.
  const { status: health, ...problem } = await store.health()
  const isForOperator = isOperator(context.get('ownerId'))
  const body: ServerStatus = {
    version: serverVersion(),
    agents: [...agents.values()]
      .filter(({ isEnabled = true }) => isEnabled)
      .map(agent => {
        const model = modelOf(agent, system)
        const { name, displayName } = agent
        return { name, displayName, model: model && modelName(model) }
      }),
    store: { status: health },
    operator: isForOperator ? { ...problem, ...(await forOperator(services)) } : undefined,
  }
  return context.json(body, 200, { 'cache-control': 'no-store' })
}

/** At most this many runs that killed their processes are named: the last ones. */
const mostDeadlyRuns = 10

/** What is left out is not known at the moment: a database that does not respond has no size. */
async function forOperator({ keys, node, now, runner, startedAt, store }: Services): Promise<OperatorStatus> {
  const [facts, sizes, nodes, quarantined, deadlyRuns] = await Promise.all([
    store.facts().catch(unknown),
    store.sizes().catch(unknown),
    node === undefined ? undefined : store.nodes.live().catch(unknown),
    store.runQuarantine.countWaiting().catch(unknown),
    store.runQuarantine.lastEnded(mostDeadlyRuns).catch(unknown),
  ])
  return {
    nodeVersion: process.versions.node,
    upSeconds: Math.floor((now().getTime() - startedAt.getTime()) / 1000),
    database: { ...facts, ...sizes },
    keys,
    runs: runner.activeCount,
    waitingSubmissions: runner.waitingCount,
    viewers: runner.viewers.count,
    nodes: nodes?.size,
    quarantined,
    deadlyRuns,
  }
}

function unknown(): undefined {
  return undefined
}

/** Returns the version of this package; `undefined` when a bundler has taken its `package.json` away. */
function serverVersion(): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
    return typeof version === 'string' ? version : undefined
  } catch {
    return undefined
  }
}

/** The route for what a person has used by day. Nobody sees what others have used. */
export function usageRoutes(services: Pick<Services, 'now' | 'store'>): readonly Route[] {
  return [{ method: 'GET', path: '/api/usage', policy: 'owner', handle: context => usage(context, services) }]
}

const dayMs = 24 * 60 * 60 * 1000
const mostDays = 366

async function usage(
  context: HttpContext,
  { now, store }: Pick<Services, 'now' | 'store'>,
): Promise<Response> {
  const count = dayCount(context.req.query('days') ?? '30')
  const today = now().getTime()
  const from = dayOf(today - (count - 1) * dayMs)
  const days = await store.usageDays.since(context.get('ownerId'), from)
  const body: UsageBody = { from, to: dayOf(today), days }
  return context.json(body)
}

function dayCount(text: string): number {
  const count = Number(text)
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= mostDays) return count
  throw new ProblemError(400, 'invalid-days', `"days" is a whole number from 1 to ${mostDays}.`)
}

/** Returns a day in UTC, such as `2026-11-16`. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-11-16'.length)
}
