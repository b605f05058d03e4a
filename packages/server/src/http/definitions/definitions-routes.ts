import {
  type DefinitionError,
  type SubAgentFields,
  subAgentFieldsSchema,
  validateDefinition,
} from '@throughline/agents/internal'
import { createId, isId, ProblemError } from '@throughline/protocol'
import type { RefusedDefinition } from '@throughline/protocol/internal'
import { defined } from '@throughline/protocol/internal'
import type { DefinitionKey, StoredDefinition } from '@throughline/store'
import { z } from 'zod'
import { definitionsFrom, draftFrom } from '../../who/defined-sub-agents.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { readJsonBody } from '../request/requests.ts'
import type { Route } from '../request/route.ts'
import { surroundingsOf, warningsOf } from './definition-surroundings.ts'
import { describeDefined, describeInCode } from './describe-sub-agent.ts'

type Handle = (context: HttpContext, services: Services) => Promise<Response>

// All definitions are read for each answer that can delegate, and their descriptions are part of its prompt.
const maxDefinitions = 200

/** The routes for the sub-agents that users define. Sub-agents in code can be read here too, but not changed. */
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
  if (inCode !== undefined) return context.json(describeInCode(inCode, context.get('sender').permittedTools))
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
  // Somebody else has changed it since the list was read.
  if (saved === undefined) throw staleVersion(await store.definitions.get(ownerId, fields))
  const { updatedAt } = draft
  const definition = { ...fields, id, version: saved.version, updatedAt }
  const described = describeDefined(definition, warningsOf(services, definition, known))
  return context.json(described, current === undefined ? 201 : 200)
}

async function removeDefinition(context: HttpContext, services: Services): Promise<Response> {
  const key = keyFrom(context)
  // This comes first. So a definition can still be deleted when an agent in code has taken its name.
  if (await services.store.definitions.remove(context.get('ownerId'), key)) return context.body(null, 204)
  if (!isInCode(services, key.name)) throw agentNotFound(key)
  throw new ProblemError(
    409,
    'agent-in-code',
    `"${key.name}" is an agent in code. Remove it from the server's configuration instead.`,
  )
}

function keyFrom(context: HttpContext): DefinitionKey {
  const name = (context.req.param('name') ?? '').normalize('NFC')
  return { name, workspaceId: context.req.query('workspaceId') || undefined }
}

/**
 * Returns whether an agent in code has the name. Master agents count too: a sub-agent with the name of its master
 * could never be called.
 */
function isInCode({ agents, system }: Services, name: string): boolean {
  return agents.has(name) || system.subAgents.some(agent => agent.name === name)
}

function assertVersion(
  fields: SubAgentFields,
  { version, id }: Pick<ReadDefinition, 'version' | 'id'>,
  current: StoredDefinition | undefined,
): void {
  if (current === undefined && version === undefined && id === undefined) return
  if (current === undefined) throw agentNotFound(fields)
  // Another definition may have got the same name, and the same version number.
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

interface FieldError {
  readonly code: 'invalid-field'
  readonly field: string
  readonly message: string
}

/** The body of `PUT /api/agents/:name`, after the checks. */
interface ReadDefinition {
  readonly fields: SubAgentFields
  /** The version that it replaces. `undefined` for a new definition. */
  readonly version: number | undefined
  /** The id of the definition with that version. Another definition may have been made under the same name. */
  readonly id: string | undefined
}

/**
 * All fields that `GET /api/agents/:name` returns. The fields that the server sets are accepted and ignored, so that
 * a client can send back what it got.
 */
const bodySchema = subAgentFieldsSchema.extend({
  version: z.int().min(1).optional(),
  id: z.string().max(128).optional(),
  source: z.literal('database').optional(),
  updatedAt: z.string().max(64).optional(),
  warnings: z.array(z.unknown()).max(1_000).optional(),
})

/**
 * Reads the body of `PUT /api/agents/:name`. Name and workspace are those in the URL. Throws when the body has
 * others.
 */
async function readDefinition(context: HttpContext, key: DefinitionKey): Promise<ReadDefinition> {
  const body = await readJsonBody(context, z.record(z.string(), z.unknown()))
  const { name, workspaceId } = key
  const result = bodySchema.safeParse({
    name,
    ...defined({ workspaceId }),
    ...body,
  })
  if (!result.success) throw invalidDefinition(result.error.issues.map(fieldError))
  const { version, id, source: _, updatedAt: __, warnings: ___, ...fields } = result.data
  if (fields.name !== name) throw elsewhere('name')
  if (workspaceId !== undefined && fields.workspaceId !== workspaceId) throw elsewhere('workspaceId')
  return { fields, version, id }
}

function elsewhere(field: 'name' | 'workspaceId'): ProblemError {
  const message = `The ${field} in the body is not the one in the address. It cannot be changed: leave it out.`
  return invalidDefinition([{ code: 'invalid-field', field, message }])
}

/** Returns the problem for a definition that cannot be saved. It lists up to 50 errors. */
function invalidDefinition(errors: readonly (FieldError | DefinitionError)[]): ProblemError {
  const [first] = errors
  const detail = `The definition was not saved. ${first?.message ?? ''}`
  const refused: RefusedDefinition = { errors: errors.slice(0, 50) }
  return new ProblemError(400, 'invalid-definition', detail, { ...refused })
}

function fieldError({ path, message }: z.core.$ZodIssue): FieldError {
  return { code: 'invalid-field', field: path.join('.'), message: message.slice(0, 300) }
}
