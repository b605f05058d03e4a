import { modelName } from '@throughline/agents/internal'
import { modelOf } from '../../runs/model-of.ts'
import { serverVersion } from '../../server-version.ts'
import type { HttpContext, Services } from '../context.ts'
import type { Route } from '../route.ts'

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
  return context.json(
    {
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
    },
    200,
    { 'cache-control': 'no-store' },
  )
}

/** What is left out is not known at the moment: a database that does not respond has no size. */
async function forOperator({ keys, node, now, runner, startedAt, store }: Services) {
  const [facts, sizes, nodes] = await Promise.all([
    store.facts().catch(unknown),
    store.sizes().catch(unknown),
    node === undefined ? undefined : store.nodes.live().catch(unknown),
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
  }
}

function unknown(): undefined {
  return undefined
}
