import type { MessageId } from '../message/ids.ts'
import { type DataPart, isToolPart, type Message, type Part, type ToolPart } from '../message/message.ts'
import { isRecord } from '../values/fields.ts'
import { parseJson } from '../values/json.ts'
import type { Chunk, ChunkOf } from './chunk.ts'

// The chunks that are ours, and what the AI SDK's chunks carry for us: a mark where an answer went on, a call that waits for
// its output from outside, and the usage of a step.

/** What a `data-continued` part says: here an answer went on after the process that wrote it had died. */
interface ContinuedData {
  /** How often the answer went on, from 1. */
  readonly attempt: number
  /** When it went on, in ISO format. */
  readonly at: string
  /** Whether a step was cut: its model call, or one of its tools, had not ended. */
  readonly isStepCut: boolean
  /** The answer does not go on yet: its server has died more than once, and it waits in a queue. */
  readonly isWaiting?: boolean
}

const continuedType = 'data-continued'

/**
 * Returns the chunk that shows people where an answer went on. `of` names the message of a sub-agent: on some streams its
 * parts stand in the answer of its master, and each mark there needs an id of its own.
 */
export function continuedChunk(data: ContinuedData, of?: MessageId): ChunkOf<`data-${string}`> {
  return {
    type: continuedType,
    id: ['continued', data.attempt, ...(of === undefined ? [] : [of])].join('-'),
    data,
  }
}

/** Returns whether a part shows that the answer waits here until it may go on. */
export function isWaitingToGoOn(part: Part): part is DataPart {
  if (!isContinuedPart(part)) return false
  const { data } = part
  return typeof data === 'object' && data !== null && 'isWaiting' in data && data.isWaiting === true
}

/** Returns whether a part, or a chunk, shows that the answer went on here. */
export function isContinued(part: { readonly type: string }): boolean {
  return part.type === continuedType
}

/** Returns whether an answer went on here after its step had been cut. */
export function isStepCutAt(part: Part): boolean {
  if (!isContinuedPart(part)) return false
  const { data } = part
  return typeof data === 'object' && data !== null && 'isStepCut' in data && data.isStepCut === true
}

function isContinuedPart(part: Part): part is DataPart {
  return isContinued(part)
}

/** Who gives a call its output: the program that shows the chat, or the person in front of it. */
export const outputSources = ['client', 'person'] as const
/** Who gives a call its output. */
export type OutputSource = (typeof outputSources)[number]

/**
 * The data of a `data-output-request` part: a call of the same message waits for its output from outside. It waits for as
 * long as the call has no result.
 */
export interface OutputRequest {
  readonly toolCallId: string
  readonly requestId: string
  readonly from: OutputSource
}

/** Returns the chunk that says that a call waits for its output. */
export function outputRequestChunk(data: OutputRequest): Chunk {
  return { type: 'data-output-request', id: `output-${data.toolCallId}`, data }
}

/**
 * Returns the request in a chunk or a part; `undefined` when it is another one. It is checked without zod, which would make
 * the event client fifteen times as large.
 */
export function outputRequestIn({
  type,
  data,
}: {
  readonly type: string
  readonly data?: unknown
}): OutputRequest | undefined {
  if (type !== 'data-output-request' || !isRecord(data)) return undefined
  const { toolCallId, requestId } = data
  const from = outputSources.find(source => source === data['from'])
  const isWhole = typeof toolCallId === 'string' && typeof requestId === 'string' && from !== undefined
  return isWhole ? { toolCallId, requestId, from } : undefined
}

/**
 * A call that waits for its output from outside.
 * @public
 */
export interface AwaitedOutput extends OutputRequest {
  readonly part: ToolPart
}

/** Returns the calls of a message that wait for their outputs now. */
export function awaitedOutputs({ parts, metadata }: Message): readonly AwaitedOutput[] {
  if (metadata?.status !== 'streaming') return []
  const requests = new Map(parts.flatMap(part => outputRequestIn(part) ?? []).map(keyed))
  if (requests.size === 0) return []
  return parts.flatMap(part => {
    const request = isToolPart(part) ? requests.get(part.toolCallId) : undefined
    return isToolPart(part) && request !== undefined && isOpen(part) ? [{ ...request, part }] : []
  })
}

function keyed(request: OutputRequest) {
  return [request.toolCallId, request] as const
}

function isOpen({ state }: ToolPart): boolean {
  return state === 'input-available' || state === 'approval-responded'
}

/** The name of the call by which an agent asks a person something. */
export const questionToolName = 'question'

/** Returns what a person reads of a question that a call asks: its text, or all of it as JSON. */
export function questionText(input: unknown): string {
  if (typeof input === 'string') return input
  const fields = isRecord(input) ? input : {}
  const texts = ['question', 'message', 'prompt', 'text'].map(name => fields[name])
  const text = texts.find(value => typeof value === 'string' && value !== '')
  return typeof text === 'string' ? text : (JSON.stringify(input) ?? '')
}

/** Returns the output in a text that a person or a client gives. A JSON object or a list becomes that value. */
export function outputFromText(text: string): unknown {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? value : text
}

/**
 * What one step has used, without its sub-agents. The log has it in `finish-step`. The streams for stock clients have not:
 * some versions of the AI SDK refuse a chunk with a field that they do not know.
 */
export interface StepUsage {
  /** The model, as `provider:model`. */
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  /** US dollars; `null` when the model's price is not known. */
  readonly cost?: number | null | undefined
}

/** Returns the chunk that ends a step. */
export function finishStep(usage?: StepUsage | undefined): ChunkOf<'finish-step'> {
  const bare = { type: 'finish-step' } as const
  return usage === undefined ? bare : { ...bare, ...{ usage } }
}

/** Returns what a step has used, as the chunk that ends it says; `undefined` when it does not. */
export function stepUsageOf(chunk: Chunk): StepUsage | undefined {
  if (chunk.type !== 'finish-step' || !('usage' in chunk)) return undefined
  const { usage } = chunk
  return isStepUsage(usage) ? usage : undefined
}

/** Returns the chunk as stock clients may read it. */
export function withoutStepUsage(chunk: Chunk): Chunk {
  return chunk.type === 'finish-step' && 'usage' in chunk ? finishStep() : chunk
}

function isStepUsage(value: unknown): value is StepUsage {
  if (!isRecord(value) || typeof value['model'] !== 'string') return false
  const counts = [value['inputTokens'], value['outputTokens'], value['totalTokens']]
  return counts.every(count => typeof count === 'number') && isCost(value['cost'])
}

function isCost(value: unknown): boolean {
  return value == null || typeof value === 'number'
}
