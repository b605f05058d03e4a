import type { SubAgentFields } from '@throughline/agents/sub-agents/sub-agent-definition'
import { validateDefinition } from '@throughline/agents/sub-agents/validate-definition'
import { createId, isId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { DefinitionKey, StoredDefinition } from '@throughline/store/definitions'
import { definitionFrom, definitionsFrom, draftFrom, visibleIn } from '../runs/defined-sub-agents.ts'
import type { HttpContext, Services } from './context.ts'
import { invalidDefinition, readDefinition } from './definition-body.ts'
import { describeDefined, describeInCode } from './describe-sub-agent.ts'
import type { Route } from './route.ts'

type Handle = (context: HttpContext, services: Services) => Promise<Response>

// All of them are read for each answer that delegates, and their descriptions stand in its prompt.
const maxDefinitions = 200

/** Sub-agents that users define. Those in code are shown here too, but nobody can change them. */
export function definitionsRoutes(services: Services): readonly Route[] {
  const route = (method: Route['method'], handle: Handle): Route => {
    return {
      method,
      path: '/api/agents/:name',
      policy: 'owner',
      handle: context => handle(context, services),
    }
  }
  return [route('GET', getDefinition), route('PUT', putDefinition), route('DELETE', removeDefinition)]
}

async function getDefinition(context: HttpContext, { store, system }: Services): Promise<Response> {
  const key = keyFrom(context)
  const inCode = system.subAgents.find(({ name }) => name === key.name)
  if (inCode !== undefined) return context.json(describeInCode(inCode))
  const stored = await store.definitions.get(context.get('ownerId'), key)
  const definition = stored && definitionFrom(stored)
  if (definition === undefined) throw agentNotFound(key)
  return context.json(describeDefined(definition))
}

async function putDefinition(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const ownerId = context.get('ownerId')
  const { name } = keyFrom(context)
  const { fields, version } = await readDefinition(context, name)
  if (isInCode(services, name)) {
    throw new ProblemError(409, 'name-taken', `"${name}" is an agent in code. Choose another name.`)
  }
  const all = await store.definitions.list(ownerId)
  const current = all.find(each => each.name === name && each.workspaceId === fields.workspaceId)
  const others = all.filter(each => each !== current)
  assertVersion(fields, version, current)
  assertRoom(others)
  assertValid(fields, others, services)
  const id = current?.id ?? createId(isId, 'agent')
  const draft = draftFrom(fields, { id, updatedAt: now().toISOString() })
  const saved =
    current === undefined
      ? await store.definitions.create(ownerId, draft)
      : await store.definitions.update(ownerId, draft, current)
  // Somebody else was faster since the list was read.
  if (saved === undefined) throw staleVersion(await store.definitions.get(ownerId, fields))
  const { updatedAt } = draft
  const definition = { ...fields, id, version: saved.version, updatedAt }
  return context.json(describeDefined(definition), current === undefined ? 201 : 200)
}

async function removeDefinition(context: HttpContext, services: Services): Promise<Response> {
  const key = keyFrom(context)
  // First, so that a definition whose name was later taken by an agent in code can still be cleared away.
  if (await services.store.definitions.remove(context.get('ownerId'), key)) return context.body(null, 204)
  if (!isInCode(services, key.name)) throw agentNotFound(key)
  throw new ProblemError(
    409,
    'agent-in-code',
    `"${key.name}" is an agent in code. Remove it from the server's configuration instead.`,
  )
}

function keyFrom(context: HttpContext): DefinitionKey {
  return { name: context.req.param('name') ?? '', workspaceId: context.req.query('workspaceId') || undefined }
}

/** Masters count: a sub-agent of that name would always seem to be at work already. */
function isInCode({ agents, system }: Services, name: string): boolean {
  return agents.has(name) || system.subAgents.some(agent => agent.name === name)
}

function assertVersion(
  fields: SubAgentFields,
  version: number | undefined,
  current: StoredDefinition | undefined,
): void {
  if (current === undefined && version !== undefined) throw agentNotFound(fields)
  if (current !== undefined && version !== current.version) throw staleVersion(current)
}

function assertRoom(others: readonly StoredDefinition[]): void {
  if (others.length < maxDefinitions) return
  const detail = `There are ${maxDefinitions} agents already. Delete one that is not needed.`
  throw new ProblemError(409, 'too-many-agents', detail)
}

function assertValid(
  fields: SubAgentFields,
  others: readonly StoredDefinition[],
  { system }: Services,
): void {
  const errors = validateDefinition(fields, {
    toolKeys: system.tools.factories.map(({ key }) => key),
    inCode: system.subAgents,
    // One of the same name is in no workspace, and this one hides it in its own.
    defined: visibleIn(fields.workspaceId, others.flatMap(definitionsFrom)).filter(
      ({ name }) => name !== fields.name,
    ),
    hasModel: spec => system.resolveModel(spec) !== undefined,
  })
  if (errors.length > 0) throw invalidDefinition(errors)
}

function staleVersion(current: StoredDefinition | undefined): ProblemError {
  if (current === undefined) {
    const detail = 'The agent was deleted in the meantime. Leave out the version to make it again.'
    return new ProblemError(409, 'stale-version', detail, { version: null })
  }
  const { name, version } = current
  const detail = `"${name}" is at version ${version} now. Load it, repeat your change, and send that version.`
  return new ProblemError(409, 'stale-version', detail, { version })
}

function agentNotFound({ name }: DefinitionKey): ProblemError {
  const detail = `There is no agent ${JSON.stringify(name.slice(0, 100))} here. GET /api/agents lists those there are.`
  return new ProblemError(404, 'agent-not-found', detail)
}
