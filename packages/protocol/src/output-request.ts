import { type Chunk, isRecord } from './chunk.ts'
import { isToolPart, type Message, type ToolPart } from './message.ts'
import { parseJson } from './parse-json.ts'

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
