import { chunkProblem, isRecord, outputSources } from '@throughline/protocol'
import { badField, type FieldChecks, isString } from '@throughline/protocol/internal'
import { type AgentEvent, isFinishReason } from '../agent/agent-event.ts'

/**
 * Returns what is wrong with a value that should be an agent event, in words; `undefined` when it is one. Types are not
 * enough: any program can be an agent, and every reader must be able to read what it writes into the log.
 */
export function eventProblem(value: unknown): string | undefined {
  try {
    return isMoreText(value) ? undefined : problemOf(value)
  } catch {
    // A getter or a proxy that throws.
    return 'an event cannot be read'
  }
}

const providerMetadata = optional(isProviderMetadata)
const text: FieldChecks = { text: isString, providerMetadata }
const callStart: FieldChecks = {
  toolCallId: isString,
  toolName: isString,
  title: optional(isString),
  dynamic: optional(isBoolean),
  providerExecuted: optional(isBoolean),
  providerMetadata,
}
const failedCall: FieldChecks = { ...callStart, errorText: isString }
const approval: FieldChecks = { toolCallId: isString, approvalId: isString }

// The inputs and outputs of tools and the data of UI events may be any value. `segment` turns them into JSON.
const fieldsByType: Readonly<Record<AgentEvent['type'], FieldChecks>> = {
  'step-start': {},
  'step-end': { usage: optional(isTokenCounts), model: optional(isString) },
  'text-delta': text,
  'text-snapshot': { text: isString },
  'text-end': { providerMetadata, citations: optional(isCitations) },
  'reasoning-delta': text,
  'reasoning-end': { providerMetadata },
  content: {
    reasoning: optional(isString),
    toolCalls: optional(value => Array.isArray(value) && value.every(isCall)),
    text: optional(isString),
  },
  'tool-input-start': callStart,
  'tool-input-delta': { toolCallId: isString, text: isString },
  'tool-call': callStart,
  'tool-call-invalid': failedCall,
  'tool-progress': callStart,
  'tool-result': callStart,
  'tool-error': failedCall,
  'tool-approval-request': approval,
  'tool-approval-response': { ...approval, approved: isBoolean, reason: optional(isString) },
  'tool-denied': { toolCallId: isString },
  'tool-output-request': { toolCallId: isString, requestId: isString, from: isOutputSource },
  'response-done': {},
  source: { chunk: isChunkOf('source-url', 'source-document') },
  file: { chunk: isChunkOf('file', 'reasoning-file') },
  'ui-event': {},
  finish: { finishReason: isFinishReason },
  error: {},
}
const fieldsOf: ReadonlyMap<unknown, FieldChecks> = new Map(Object.entries(fieldsByType))

// Nearly all events are more text, so there is a fast path for them.
function isMoreText(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'text-delta' &&
    typeof value['text'] === 'string' &&
    value['providerMetadata'] === undefined
  )
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value) || !isString(value['type'])) return 'an event must be an object with a "type"'
  const { type } = value
  const fields = fieldsOf.get(type)
  if (fields === undefined) return `unknown event type ${JSON.stringify(String(type).slice(0, 64))}`
  const field = badField(value, fields)
  return field && `a ${type} event needs a valid "${field}"`
}

function isCall(value: unknown): boolean {
  return isRecord(value) && badField(value, callStart) === undefined
}

function isChunkOf(...types: readonly string[]): (value: unknown) => boolean {
  return value => {
    if (!isRecord(value) || !types.includes(String(value['type']))) return false
    return chunkProblem(value) === undefined && badField(value, chunkExtras) === undefined && isJson(value)
  }
}

const chunkExtras: FieldChecks = { title: optional(isString), filename: optional(isString), providerMetadata }

/** Checks the value as JSON: clients of the AI SDK accept only an object whose values are objects. */
function isProviderMetadata(value: unknown): boolean {
  if (!isRecord(value) || !isJson(value)) return false
  return Object.values(JSON.parse(JSON.stringify(value))).every(isRecord)
}

function isCitations(value: unknown): boolean {
  return Array.isArray(value) && value.every(isCitation) && isJson(value)
}

function isCitation(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['source'])) return false
  const { source } = value
  const isSource = source['type'] === 'source' && isString(source['id'])
  return source['sourceType'] === 'url'
    ? isSource && isString(source['url'])
    : isSource && isString(source['mediaType']) && isString(source['title'])
}

function isTokenCounts(value: unknown): boolean {
  return isRecord(value) && badField(value, tokenCounts) === undefined
}

const tokenCounts: FieldChecks = {
  inputTokens: isCount,
  outputTokens: isCount,
  totalTokens: isCount,
  reasoningTokens: optional(isCount),
  cachedInputTokens: optional(isCount),
}

function isOutputSource(value: unknown): boolean {
  return outputSources.some(source => source === value)
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    // A cycle, a big integer, a `toJSON` that throws, or nested too deep.
    return false
  }
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function optional(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return value => value === undefined || isValid(value)
}
