import { type OutputSource, outputSources } from '../entries/own-chunks.ts'
import { isRecord } from '../values/fields.ts'
import { parseJson } from '../values/json.ts'

/** What one model has used for a query. */
export interface QueryModelUsage {
  readonly model: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  /** US dollars; 0 when the model's price is not known. */
  readonly cost: number
  /** False when the model's price is not known. A server that leaves it out knows the price. */
  readonly cost_known?: boolean | undefined
  /** How often the model was called. */
  readonly invocations: number
}

/** What a query has used: the sum over all models, and the share of each model. */
export interface QueryUsage {
  readonly total_tokens: number
  readonly total_prompt_tokens: number
  readonly total_completion_tokens: number
  /** US dollars: the sum of the costs that are known. */
  readonly total_cost: number
  /** False when the price of any of the models is not known. A server that leaves it out knows the prices. */
  readonly cost_known?: boolean | undefined
  /** The share of each model, by `provider:model`. */
  readonly by_model: Readonly<Record<string, QueryModelUsage>>
}

/**
 * The fields of each event of the event API (`POST /agent/query-stream-delta` and `POST /agent/query-stream`), by event
 * type. Every event has a `type` and a `timestamp` too. docs/event-api.md describes them.
 */
interface QueryEventFields {
  readonly text_delta: { readonly delta: string }
  readonly text: { readonly content: string }
  readonly tool_call: {
    readonly tool: string
    readonly args: Readonly<Record<string, unknown>>
    readonly tool_call_id: string
    readonly display_name: string
  }
  readonly tool_result: {
    readonly tool: string
    readonly result: string
    readonly tool_call_id: string
    readonly is_error: boolean
    readonly screenshot_base64: string | null
  }
  /** A tool call waits until a person approves it. */
  readonly approval_request: {
    readonly approval_id: string
    readonly tool: string
    readonly args: Readonly<Record<string, unknown>>
    readonly tool_call_id: string
    readonly display_name: string
  }
  /** A tool call waits for its output: from the program that shows the chat (`client`), or from a person. */
  readonly output_request: {
    readonly request_id: string
    readonly from: OutputSource
    readonly tool: string
    readonly args: Readonly<Record<string, unknown>>
    readonly tool_call_id: string
    readonly display_name: string
  }
  /** A tool call no longer waits: a person has decided, nobody decided in time, or the answer has ended. */
  readonly approval_response: {
    readonly approval_id: string
    readonly tool_call_id: string
    readonly approved: boolean
    readonly reason: string | null
  }
  readonly step_start: { readonly step_id: string; readonly title: string; readonly step_number: number }
  readonly step_complete: {
    readonly step_id: string
    readonly status: 'completed' | 'error'
    readonly duration_ms: number
  }
  readonly final: {
    readonly content: string
    /** Left out for a normal end. `stopped`: by somebody. `limit`: it reached a limit. `empty`: it has no text. */
    readonly status?: 'stopped' | 'limit' | 'empty'
    /** The status as a sentence for a person. */
    readonly status_text?: string
  }
  readonly usage: { readonly session_id: string; readonly usage: QueryUsage }
  readonly error: { readonly error: string }
}

/** The types of events. */
export type QueryEventType = keyof QueryEventFields

/** The events of one type. */
export type QueryEventOf<Type extends QueryEventType> = Type extends QueryEventType
  ? { readonly type: Type; readonly timestamp: string } & QueryEventFields[Type]
  : never

/** One event of the event API. */
export type QueryEvent = QueryEventOf<QueryEventType>

/** What `parseQueryEvent` returns. */
export type ParsedQueryEvent =
  | { readonly type: 'event'; readonly event: QueryEvent }
  /** A valid event of a type that this version does not know. Readers ignore it. */
  | { readonly type: 'unknown'; readonly eventType: string }
  | { readonly type: 'invalid'; readonly problem: string }

/** Reads an event from JSON, as the wire carries it. Never throws: the result says what is wrong. */
export function parseQueryEvent(json: string): ParsedQueryEvent {
  const value = parseJson(json)
  if (value === undefined) return { type: 'invalid', problem: 'the data is not JSON' }
  if (!isRecord(value)) return { type: 'invalid', problem: 'an event must be a JSON object' }
  const { type } = value
  if (typeof type !== 'string') return { type: 'invalid', problem: 'an event needs a string field "type"' }
  const fields = fieldsByType.get(type)
  if (fields === undefined) return { type: 'unknown', eventType: type }
  const wrong = Object.keys(fields).filter(name => fields[name]?.isValid(value[name]) === false)
  const missing = wrong.find(name => fields[name]?.isNeeded === true)
  if (missing !== undefined)
    return {
      type: 'invalid',
      problem: `the field "${missing}" of a ${type} event is missing or of the wrong type`,
    }
  const event = { ...value, ...Object.fromEntries(wrong.map(name => [name, fields[name]?.fallback])) }
  return isQueryEvent(event) ? { type: 'event', event } : { type: 'unknown', eventType: type }
}

interface Field {
  readonly isValid: (value: unknown) => boolean
  /**
   * Whether an event without a valid value is invalid. Other fields get their `fallback` instead: a bad screenshot is
   * no reason to lose a tool's result.
   */
  readonly isNeeded: boolean
  readonly fallback?: unknown
}

const needed = (isValid: Field['isValid']): Field => ({ isValid, isNeeded: true })
const otherwise = (fallback: unknown, isValid: Field['isValid']): Field => {
  return { isValid, isNeeded: false, fallback }
}

const text = needed(isString)
const number = needed(isNumber)
const timestamp = otherwise('', isString)

const fieldsByType: ReadonlyMap<string, Readonly<Record<string, Field>>> = new Map([
  ['text_delta', { delta: text, timestamp }],
  ['text', { content: text, timestamp }],
  [
    'tool_call',
    {
      tool: text,
      args: needed(isRecord),
      tool_call_id: text,
      display_name: otherwise('', isString),
      timestamp,
    },
  ],
  [
    'tool_result',
    {
      tool: text,
      result: text,
      tool_call_id: text,
      is_error: needed(value => typeof value === 'boolean'),
      screenshot_base64: otherwise(null, value => value === null || isString(value)),
      timestamp,
    },
  ],
  [
    'approval_request',
    {
      approval_id: text,
      tool: text,
      args: needed(isRecord),
      tool_call_id: text,
      display_name: otherwise('', isString),
      timestamp,
    },
  ],
  [
    'output_request',
    {
      request_id: text,
      from: needed(isOneOf(...outputSources)),
      tool: text,
      args: needed(isRecord),
      tool_call_id: text,
      display_name: otherwise('', isString),
      timestamp,
    },
  ],
  [
    'approval_response',
    {
      approval_id: text,
      tool_call_id: text,
      approved: needed(value => typeof value === 'boolean'),
      reason: otherwise(null, value => value === null || isString(value)),
      timestamp,
    },
  ],
  ['step_start', { step_id: text, title: text, step_number: number, timestamp }],
  [
    'step_complete',
    { step_id: text, status: needed(isOneOf('completed', 'error')), duration_ms: number, timestamp },
  ],
  [
    'final',
    {
      content: text,
      status: otherwise(undefined, isOneOf(undefined, 'stopped', 'limit', 'empty')),
      status_text: otherwise(undefined, value => value === undefined || isString(value)),
      timestamp,
    },
  ],
  ['usage', { session_id: text, usage: needed(isQueryUsage), timestamp }],
  ['error', { error: text, timestamp }],
])

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
}

function isOneOf(...allowed: readonly unknown[]): (value: unknown) => boolean {
  return value => allowed.includes(value)
}

function isQueryUsage(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['by_model'])) return false
  return (
    hasNumbers(value, ['total_tokens', 'total_prompt_tokens', 'total_completion_tokens', 'total_cost']) &&
    isOneOf(undefined, true, false)(value['cost_known']) &&
    Object.values(value['by_model']).every(isModelUsage)
  )
}

function isModelUsage(value: unknown): boolean {
  const numbers = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'cost', 'invocations']
  const isKnown = isOneOf(undefined, true, false)
  return (
    isRecord(value) && isString(value['model']) && hasNumbers(value, numbers) && isKnown(value['cost_known'])
  )
}

function hasNumbers(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.every(name => isNumber(value[name]))
}

// The fields were checked against the table above. This function only tells the type checker.
function isQueryEvent(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & QueryEvent {
  return typeof value['type'] === 'string' && fieldsByType.has(value['type'])
}
