import { type DefinitionError, type SubAgentFields, subAgentFieldsSchema } from '@throughline/agents/internal'
import { ProblemError } from '@throughline/protocol'
import type { DefinitionKey } from '@throughline/store'
import { z } from 'zod'
import type { HttpContext } from '../context.ts'
import { readBody } from '../requests.ts'

interface FieldError {
  readonly code: 'invalid-field'
  readonly field: string
  readonly message: string
}

/** The body of `PUT /api/agents/:name`, after the checks. */
export interface DefinitionBody {
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
export async function readDefinition(context: HttpContext, key: DefinitionKey): Promise<DefinitionBody> {
  const body = await readBody(context, z.record(z.string(), z.unknown()))
  const { name, workspaceId } = key
  const result = bodySchema.safeParse({
    name,
    ...(workspaceId === undefined ? {} : { workspaceId }),
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
export function invalidDefinition(errors: readonly (FieldError | DefinitionError)[]): ProblemError {
  const [first] = errors
  const detail = `The definition was not saved. ${first?.message ?? ''}`
  return new ProblemError(400, 'invalid-definition', detail, { errors: errors.slice(0, 50) })
}

function fieldError({ path, message }: z.core.$ZodIssue): FieldError {
  return { code: 'invalid-field', field: path.join('.'), message: message.slice(0, 300) }
}
