import {
  type SubAgentFields,
  subAgentFieldsSchema,
} from '@throughline/agents/sub-agents/sub-agent-definition'
import type { DefinitionError } from '@throughline/agents/sub-agents/validate-definition'
import { ProblemError } from '@throughline/protocol/problem'
import { z } from 'zod'
import type { HttpContext } from './context.ts'
import { readBody } from './requests.ts'

interface FieldError {
  readonly code: 'invalid-field'
  readonly field: string
  readonly message: string
}

export interface DefinitionBody {
  readonly fields: SubAgentFields
  /** The version it replaces; none for a new definition. */
  readonly version: number | undefined
}

const bodySchema = subAgentFieldsSchema.extend({ version: z.int().min(1).optional() })

/** The body of `PUT /api/agents/:name`: the name in the path counts, and one in the body must be the same. */
export async function readDefinition(context: HttpContext, name: string): Promise<DefinitionBody> {
  const body = await readBody(context, z.record(z.string(), z.unknown()))
  const result = bodySchema.safeParse({ name, ...body })
  if (!result.success) throw invalidDefinition(result.error.issues.map(fieldError))
  const { version, ...fields } = result.data
  if (fields.name !== name) {
    const message =
      'The name in the body is not the one in the path. An agent cannot be renamed: leave it out.'
    throw invalidDefinition([{ code: 'invalid-field', field: 'name', message }])
  }
  return { fields, version }
}

export function invalidDefinition(errors: readonly (FieldError | DefinitionError)[]): ProblemError {
  const [first] = errors
  const detail = `The definition was not saved. ${first?.message ?? ''}`
  return new ProblemError(400, 'invalid-definition', detail, { errors: errors.slice(0, 50) })
}

function fieldError({ path, message }: z.core.$ZodIssue): FieldError {
  return { code: 'invalid-field', field: path.join('.'), message: message.slice(0, 300) }
}
