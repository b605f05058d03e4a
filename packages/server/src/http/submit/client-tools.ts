import type { Agent } from '@throughline/agents'
import { type ClientTool, subAgentToolKey } from '@throughline/agents/internal'
import { isRecord, ProblemError } from '@throughline/protocol'
import { z } from 'zod'
import type { Services } from '../request/context.ts'

/** A tool as the bodies of requests describe it. */
const declaredSchema = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
})

/** How many tools a request may bring. */
const maxTools = 64
/** How large they may be together, in bytes of JSON. */
const maxBytes = 64 * 1024

/**
 * Returns the tools that a request brings. Returns none when the server does not take any. Throws a 400 problem when one of
 * them cannot be used, or when they are too many or too large.
 */
export function clientToolsIn(
  { takesClientTools }: Pick<Services, 'takesClientTools'>,
  declared: readonly unknown[],
): readonly ClientTool[] {
  if (!takesClientTools) return []
  if (declared.length > maxTools)
    throw invalidTools(`The request brings ${declared.length} tools, and ${maxTools} are allowed.`)
  const bytes = Buffer.byteLength(JSON.stringify(declared))
  if (bytes > maxBytes)
    throw invalidTools(`The tools of the request have ${bytes} bytes, and ${maxBytes} are allowed together.`)
  const tools = declared.map(clientTool)
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalidTools(`The request brings two tools ${JSON.stringify(twice)}.`)
  return tools
}

/** Throws a 400 problem when a tool of the request has the name of a tool of the agent. */
export function assertNoOwnTool(
  { system }: Pick<Services, 'system'>,
  { name: agentName, toolKeys = [], optionalToolKeys = [] }: Agent,
  tools: readonly ClientTool[] = [],
): void {
  const keys = new Set([...toolKeys, ...optionalToolKeys])
  const isOwn = ({ name }: ClientTool) =>
    name === subAgentToolKey || (system.tools.has(name) && (keys.has(name) || keys.has('*')))
  const taken = tools.find(isOwn)
  if (taken === undefined) return
  throw new ProblemError(
    400,
    'tool-name-taken',
    `The agent ${JSON.stringify(agentName)} has a tool ${JSON.stringify(taken.name)} of its own. Rename yours, or leave it out.`,
  )
}

function clientTool(declared: unknown): ClientTool {
  const { data } = declaredSchema.safeParse(declared)
  if (data === undefined) {
    const name = isRecord(declared) ? declared['name'] : undefined
    const which = typeof name === 'string' ? ` ${JSON.stringify(name.slice(0, 64))}` : ''
    throw invalidTools(
      `A tool${which} of the request cannot be used. Its name has up to 64 letters, digits, "_" and "-", and its parameters are a JSON schema.`,
    )
  }
  const { name, description, parameters } = data
  return {
    name,
    ...(description != null && { description }),
    inputSchema: { type: 'object', properties: {}, ...parameters },
  }
}

function invalidTools(detail: string): ProblemError {
  return new ProblemError(400, 'invalid-tools', detail)
}
