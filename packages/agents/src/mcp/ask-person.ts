import type { ElicitationRequest, ElicitResult } from '@ai-sdk/mcp'
import { isRecord, outputFromText, randomHex } from '@throughline/protocol'
import { z } from 'zod'
import { type AgentFrame, findFrame } from '../run/agent-frame.ts'
import { NoOutput, waitForOutput } from '../run/wait-for-output.ts'
import { withoutInvisible } from '../web/without-invisible.ts'
import type { Ask } from './open-calls.ts'

/** The name of the calls with which people see the questions of MCP servers. */
export const questionTool = 'elicitation'

/**
 * Returns how a server asks the person of this run. The question is shown as a call of its own, which waits for the reply of
 * the person as its output. Returns `undefined` outside of a run: then there is nobody to ask.
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
  const given = await waitForOutput({ ...frame, callId }, { ...call, from: 'person' }).catch(error => {
    // Nobody has replied in time, or whoever could have did not want to.
    if (error instanceof NoOutput) return { action: 'cancel' }
    throw error
  })
  const result = resultOf(question, given)
  await writer.write({ type: 'tool-result', ...call, output: result })
  return result
}

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
 * Returns the result for the server. A field that is left out has its default. Values that do not fit the form cancel the
 * question, and so does a reply that cannot be read.
 */
export function resultOf({ requestedSchema }: Question, given: unknown): ElicitResult {
  const { properties, required = [] } = requestedSchema
  const reply = replyIn(given, properties)
  if (reply?.action !== 'accept') return { action: reply?.action ?? 'cancel' }
  const values = reply.content ?? {}
  const content: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(properties)) {
    const value = values[name] ?? each.default
    if (value === undefined ? required.includes(name) : !fits(value, each)) return { action: 'cancel' }
    if (value !== undefined) content[name] = value
  }
  return { action: 'accept', content }
}

const replySchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('accept'), content: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({ action: z.enum(['decline', 'cancel']) }),
])

/**
 * Returns what a person says to a question. In a channel and at a terminal they have no form, and reply with a text: the value
 * of the only field, or the values as JSON.
 */
function replyIn(
  given: unknown,
  properties: Readonly<Record<string, Field>>,
): z.infer<typeof replySchema> | undefined {
  const value = typeof given === 'string' ? outputFromText(given.trim()) : given
  const { data } = replySchema.safeParse(value)
  if (data !== undefined) return data
  if (isRecord(value)) return { action: 'accept', content: value }
  const [only, ...others] = Object.entries(properties)
  if (typeof value !== 'string' || only === undefined || others.length > 0) return undefined
  const [name, { type }] = only
  const isNumber = type === 'number' || type === 'integer'
  return { action: 'accept', content: { [name]: isNumber ? Number(value) : value } }
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
