import type { SubAgentFields } from '@throughline/agents/definitions/sub-agent-definition'
import { validateDefinition } from '@throughline/agents/definitions/validate-definition'
import { createId, isId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'
import type { DefinitionKey, StoredDefinition } from '@throughline/store/definitions'
import { definitionsFrom, draftFrom } from '../../runs/defined-sub-agents.ts'
import type { HttpContext, Services } from '../context.ts'
import type { Route } from '../route.ts'
import { type DefinitionBody, invalidDefinition, readDefinition } from './definition-body.ts'
import { surroundingsOf, warningsOf } from './definition-surroundings.ts'
import { describeDefined, describeInCode } from './describe-sub-agent.ts'

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

async function getDefinition(context: HttpContext, services: Services): Promise<Response> {
  const key = keyFrom(context)
  const inCode = services.system.subAgents.find(({ name }) => name === key.name)
  if (inCode !== undefined) return context.json(describeInCode(inCode))
  const all = (await services.store.definitions.list(context.get('ownerId'))).flatMap(definitionsFrom)
  const definition = all.find(({ name, workspaceId }) => name === key.name && workspaceId === key.workspaceId)
  if (definition === undefined) throw agentNotFound(key)
  return context.json(describeDefined(definition, warningsOf(services, definition, all)))
}

async function putDefinition(context: HttpContext, services: Services): Promise<Response> {
  const { store, now } = services
  const ownerId = context.get('ownerId')
  const { name, workspaceId } = keyFrom(context)
  const { fields, version, id: knownId } = await readDefinition(context, { name, workspaceId })
  if (isInCode(services, name)) {
    throw new ProblemError(409, 'name-taken', `"${name}" is an agent in code. Choose another name.`)
  }
  const all = await store.definitions.list(ownerId)
  const current = all.find(each => each.name === name && each.workspaceId === fields.workspaceId)
  const others = all.filter(each => each !== current)
  assertVersion(fields, { version, id: knownId }, current)
  assertRoom(others)
  const known = others.flatMap(definitionsFrom)
  const errors = validateDefinition(fields, surroundingsOf(services, fields, known))
  if (errors.length > 0) throw invalidDefinition(errors)
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
  const described = describeDefined(definition, warningsOf(services, definition, known))
  return context.json(described, current === undefined ? 201 : 200)
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
  { version, id }: Pick<DefinitionBody, 'version' | 'id'>,
  current: StoredDefinition | undefined,
): void {
  if (current === undefined && version === undefined && id === undefined) return
  if (current === undefined) throw agentNotFound(fields)
  // The same version of another one that has taken its name is not the version that was loaded.
  if (version !== current.version || (id !== undefined && id !== current.id)) throw staleVersion(current)
}

function assertRoom(others: readonly StoredDefinition[]): void {
  if (others.length < maxDefinitions) return
  const detail = `There are ${maxDefinitions} agents already. Delete one that is not needed.`
  throw new ProblemError(409, 'too-many-agents', detail)
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
