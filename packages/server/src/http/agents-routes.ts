import { ProblemError } from '@throughline/protocol/problem'
import { definitionsFrom } from '../runs/defined-sub-agents.ts'
import type { HttpContext, Services } from './context.ts'
import { warningsOf } from './definition-surroundings.ts'
import { describeInCode, summarizeDefined } from './describe-sub-agent.ts'
import { decisionBody, readBody } from './requests.ts'
import type { Route } from './route.ts'

/** Who can answer, with which tools, and what waits for a person's approval. */
export function agentsRoutes(services: Services): readonly Route[] {
  return [
    { method: 'GET', path: '/api/agents', policy: 'owner', handle: context => listAgents(context, services) },
    { method: 'GET', path: '/api/tools', policy: 'owner', handle: context => listTools(context, services) },
    {
      method: 'POST',
      path: '/api/approvals/:id',
      policy: 'owner',
      handle: context => decide(context, services),
    },
  ]
}

async function listAgents(context: HttpContext, services: Services): Promise<Response> {
  const { agents, store, system } = services
  const stored = await store.definitions.list(context.get('ownerId'))
  const defined = stored.flatMap(definitionsFrom)
  return context.json({
    agents: [...agents.values()].map(({ name, displayName, description, examples }) => {
      return { name, displayName, description, examples }
    }),
    subAgents: [
      ...system.subAgents.map(describeInCode),
      ...defined.map(each => summarizeDefined(each, warningsOf(services, each, defined))),
    ],
  })
}

function listTools(context: HttpContext, { system }: Services): Response {
  return context.json({
    tools: system.tools.factories.map(({ key, description, modes, needsApproval = false }) => {
      return { key, description, modes, needsApproval: needsApproval !== false }
    }),
  })
}

async function decide(context: HttpContext, { approvals }: Services): Promise<Response> {
  const id = context.req.param('id') ?? ''
  const decision = await readBody(context, decisionBody)
  const result = await approvals.decide(context.get('ownerId'), id, decision)
  switch (result) {
    case 'decided':
      return context.json({ result })
    case 'not-waiting':
      throw new ProblemError(
        409,
        'approval-not-waiting',
        'This request was answered already, or nobody waits for it any more.',
      )
    case 'not-found':
      throw new ProblemError(
        404,
        'approval-not-found',
        `There is no request ${JSON.stringify(id.slice(0, 100))}.`,
      )
  }
}
