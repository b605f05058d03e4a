import { promptVariables } from '@throughline/agents/internal'
import type { AgentsBody, ToolsBody } from '@throughline/protocol/internal'
import { masterFor } from '../../who/asked-agent.ts'
import { type DefinitionScope, definitionsFrom, visibleAt } from '../../who/defined-sub-agents.ts'
import type { HttpContext, Services } from '../request/context.ts'
import type { Route } from '../request/route.ts'
import { warningsOf } from './definition-surroundings.ts'
import { describeInCode, describeMaster, summarizeDefined } from './describe-sub-agent.ts'

/** The routes that list agents, sub-agents and tools. */
export function agentsRoutes(services: Services): readonly Route[] {
  return [
    { method: 'GET', path: '/api/agents', policy: 'owner', handle: context => listAgents(context, services) },
    { method: 'GET', path: '/api/tools', policy: 'owner', handle: context => listTools(context, services) },
  ]
}

async function listAgents(context: HttpContext, services: Services): Promise<Response> {
  const { agents, store, system } = services
  const { permittedTools } = context.get('sender')
  const stored = await store.definitions.list(context.get('ownerId'))
  const defined = stored.flatMap(definitionsFrom)
  const place = placeFrom(context)
  const body: AgentsBody = {
    agents: [...agents.values()]
      .filter(({ isEnabled = true }) => isEnabled)
      .map(agent => describeMaster(agent, { agents, system, permittedTools })),
    subAgents: [
      ...system.subAgents.map(agent => describeInCode(agent, permittedTools)),
      ...(place === undefined ? defined : visibleAt(place, defined)).map(each =>
        summarizeDefined(each, warningsOf(services, each, defined), {
          master: masterFor(agents, each.name),
          system,
        }),
      ),
    ],
    promptVariables,
    definable: { models: system.definable.addresses, maxOutputTokens: system.definable.maxOutputTokens },
  }
  return context.json(body)
}

/** A page that offers agents asks for those of its place; the one that manages them asks for all. */
function placeFrom(context: HttpContext): DefinitionScope | undefined {
  const workspaceId = context.req.query('workspaceId') || undefined
  const pageId = context.req.query('pageId') || undefined
  return workspaceId === undefined && pageId === undefined ? undefined : { workspaceId, pageId }
}

/** A person sees only the tools that agents may use for them. */
function listTools(context: HttpContext, { system }: Services): Response {
  const { permittedTools } = context.get('sender')
  const permitted = system.tools.factories.filter(({ key }) => permittedTools?.has(key) ?? true)
  const body: ToolsBody = {
    tools: permitted.map(({ key, description, modes, needsApproval = false }) => {
      return { key, description, modes, needsApproval: needsApproval !== false }
    }),
  }
  return context.json(body)
}
