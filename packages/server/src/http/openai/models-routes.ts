import { enabledNames } from '../../runs/asked-agent.ts'
import type { HttpContext, Services } from '../context.ts'
import type { Route } from '../route.ts'
import { modelNotFound } from './open-ai-problem.ts'

/** The routes that list the agents, as models. */
export function modelsRoutes(services: Services): readonly Route[] {
  const route = (path: string, handle: Route['handle']): Route => {
    return { method: 'GET', path, policy: 'owner', handle }
  }
  return [
    route('/v1/models', context => listModels(context, services)),
    route('/v1/models/:id', context => readModel(context, services)),
  ]
}

function listModels(context: HttpContext, { agents }: Services): Response {
  return context.json({ object: 'list', data: enabledNames(agents).map(describeModel) })
}

function readModel(context: HttpContext, { agents }: Services): Response {
  const id = (context.req.param('id') ?? '').normalize('NFC')
  const names = enabledNames(agents)
  if (!names.includes(id)) throw modelNotFound(id, names)
  return context.json(describeModel(id))
}

// An agent has no date, and clients need a number.
function describeModel(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'throughline' }
}
