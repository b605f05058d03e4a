import type { ElicitationRequest, ElicitResult } from '@ai-sdk/mcp'
import { randomHex } from '@throughline/protocol'
import { z } from 'zod'
import { type AgentFrame, findFrame } from '../run/agent-frame.ts'
import type { ApprovalDecision } from '../run/approval-desk.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import { withoutInvisible } from '../web/without-invisible.ts'
import type { Ask } from './open-calls.ts'

/** The name of the calls with which people see the questions of MCP servers. */
export const questionTool = 'elicitation'

/**
 * Returns how a server asks the person of this run. The question is shown as a call of its own, which waits for the person as
 * a call does that needs approval. Returns `undefined` outside of a run: then there is nobody to ask.
 */
export function askPerson(server: string): Ask | undefined {
  const frame = findFrame()
  return frame && (params => ask(frame, server, params))
}

async function ask(
  frame: AgentFrame,
  server: string,
  params: ElicitationRequest['params'],
): Promise<ElicitResult> {
  const question = questionFrom(params)
  const { writer } = frame
  const call = {
    toolCallId: `question_${randomHex(8)}`,
    toolName: questionTool,
    title: `${server} asks`,
    dynamic: true,
    input: { server, ...question },
  }
  await writer.write({ type: 'tool-call', ...call })
  const callId = await writer.called(call.toolCallId, questionTool)
  try {
    const decision = await waitForApproval({ ...frame, callId, earlierApproval: undefined }, call)
    const result = resultOf(question, decision)
    await writer.write({ type: 'tool-result', ...call, output: result })
    return result
  } catch (error) {
    if (!(error instanceof ToolDenied)) throw error
    // A person who closes the question without deciding says so. Nobody has decided either when the time is up.
    const isCancelled = error.decision === undefined || error.decision.reason === cancelReason
    return { action: isCancelled ? 'cancel' : 'decline' }
  }
}

/** The reason of a person who does not decide, but closes the question. */
const cancelReason = 'cancel'

const choice = z.looseObject({ const: z.string().max(500), title: z.string().max(500).optional() })
const described = { title: z.string().max(500).optional(), description: z.string().max(2_000).optional() }
const field = z.union([
  z.looseObject({
    ...described,
    type: z.literal('string'),
    enum: z.array(z.string().max(500)).max(200).optional(),
    oneOf: z.array(choice).max(200).optional(),
    default: z.string().max(2_000).optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
  }),
  z.looseObject({
    ...described,
    type: z.enum(['number', 'integer']),
    default: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
  z.looseObject({ ...described, type: z.literal('boolean'), default: z.boolean().optional() }),
  z.looseObject({
    ...described,
    type: z.literal('array'),
    items: z.looseObject({
      enum: z.array(z.string().max(500)).max(200).optional(),
      anyOf: z.array(choice).max(200).optional(),
    }),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    default: z.array(z.string()).max(200).optional(),
  }),
])

const questionSchema = z.object({
  message: z.string().max(4_000),
  requestedSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string().max(200), field).refine(fields => Object.keys(fields).length <= 50),
    required: z.array(z.string()).max(50).optional(),
  }),
})

type Field = z.infer<typeof field>
/** A question of a server: what it says, and the form that a person fills in. */
export type Question = z.infer<typeof questionSchema>

/** Returns the question. Throws when it is none that a person can be shown; the server reads why. */
export function questionFrom(params: ElicitationRequest['params']): Question {
  const { data, error } = questionSchema.safeParse(params)
  if (data === undefined)
    throw new Error(`This question cannot be asked: ${z.prettifyError(error).slice(0, 500)}`)
  return { ...data, message: withoutInvisible(data.message) }
}

/**
 * Returns the result for the server. The values of the form are JSON in the reason of the decision; a field that is left out
 * has its default. A decision whose values do not fit the form cancels the question.
 */
export function resultOf(
  { requestedSchema }: Question,
  { approved, reason }: ApprovalDecision,
): ElicitResult {
  if (!approved) return { action: 'decline' }
  const given = reason === undefined ? {} : valuesIn(reason)
  if (given === undefined) return { action: 'cancel' }
  const { properties, required = [] } = requestedSchema
  const content: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(properties)) {
    const value = given[name] ?? each.default
    if (value === undefined ? required.includes(name) : !fits(value, each)) return { action: 'cancel' }
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

function valuesIn(reason: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(reason)).data
  } catch {
    return undefined
  }
}

function fits(value: unknown, each: Field): boolean {
  switch (each.type) {
    case 'string': {
      const allowed = each.enum ?? each.oneOf?.map(option => option.const)
      return (
        typeof value === 'string' &&
        isWithin(value.length, each.minLength, each.maxLength) &&
        (allowed?.includes(value) ?? true)
      )
    }
    case 'number':
    case 'integer':
      return (
        typeof value === 'number' &&
        isWithin(value, each.minimum, each.maximum) &&
        (each.type === 'number' || Number.isInteger(value))
      )
    case 'boolean':
      return typeof value === 'boolean'
    case 'array': {
      const allowed = each.items.enum ?? each.items.anyOf?.map(option => option.const) ?? []
      return (
        Array.isArray(value) &&
        isWithin(value.length, each.minItems, each.maxItems) &&
        value.every(item => typeof item === 'string' && allowed.includes(item))
      )
    }
  }
}

function isWithin(value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean {
  return value >= least && value <= most
}
