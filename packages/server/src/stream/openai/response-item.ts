import type { AwaitedCall } from '../run-waits.ts'
import { argumentsOf } from './client-calls.ts'

/** One part of an answer, as an item of a response's output. */
export type ResponseItem = MessageItem | ReasoningItem | FunctionCallItem

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

interface MessageItem {
  readonly id: string
  readonly type: 'message'
  readonly role: 'assistant'
  readonly status: ItemStatus
  readonly content: readonly OutputText[]
}

interface ReasoningItem {
  readonly id: string
  readonly type: 'reasoning'
  readonly status: ItemStatus
  readonly summary: readonly SummaryText[]
}

interface FunctionCallItem {
  readonly id: string
  readonly type: 'function_call'
  readonly call_id: string
  readonly name: string
  readonly arguments: string
  readonly status: ItemStatus
}

interface OutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly []
  readonly logprobs: readonly []
}

interface SummaryText {
  readonly type: 'summary_text'
  readonly text: string
}

/** A part of the answer. */
export interface WrittenPart {
  readonly itemId: string
  readonly kind: 'text' | 'reasoning'
  /** Its number in the output. */
  readonly index: number
  readonly text: string
  readonly status: ItemStatus
}

/** Returns the item of a part, with the text that the part has so far. */
export function itemOf(part: WrittenPart): MessageItem | ReasoningItem {
  const { itemId: id, kind, status, text } = part
  return kind === 'text'
    ? { id, type: 'message', role: 'assistant', status, content: [outputText(text)] }
    : { id, type: 'reasoning', status, summary: [summaryText(text)] }
}

/** An event of a response, before it has its number. */
export interface ItemEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** Returns the events that begin a part. */
export function beginEvents(part: WrittenPart): readonly ItemEvent[] {
  const { index: output_index, kind } = part
  const item = itemOf(part)
  const empty = item.type === 'message' ? { ...item, content: [] } : { ...item, summary: [] }
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    kind === 'text'
      ? { type: 'response.content_part.added', ...where(part), part: outputText('') }
      : { type: 'response.reasoning_summary_part.added', ...where(part), part: summaryText('') },
  ]
}

/** Returns the event that adds text to a part. */
export function deltaEvent(part: WrittenPart, delta: string): ItemEvent {
  return part.kind === 'text'
    ? { type: 'response.output_text.delta', ...where(part), delta, logprobs: [] }
    : { type: 'response.reasoning_summary_text.delta', ...where(part), delta }
}

/** Returns the events that end a part. They repeat its whole text. */
export function endEvents(part: WrittenPart): readonly ItemEvent[] {
  const { index: output_index, kind, text } = part
  const done = { type: 'response.output_item.done', output_index, item: itemOf(part) }
  return kind === 'text'
    ? [
        { type: 'response.output_text.done', ...where(part), text, logprobs: [] },
        { type: 'response.content_part.done', ...where(part), part: outputText(text) },
        done,
      ]
    : [
        { type: 'response.reasoning_summary_text.done', ...where(part), text },
        { type: 'response.reasoning_summary_part.done', ...where(part), part: summaryText(text) },
        done,
      ]
}

/** Returns the item of a call that the client has to carry out. */
export function callItem(itemId: string, call: AwaitedCall): FunctionCallItem {
  const { id: call_id, toolName: name } = call
  return {
    id: itemId,
    type: 'function_call',
    call_id,
    name,
    arguments: argumentsOf(call),
    status: 'completed',
  }
}

/** Returns the events of a call that the client has to carry out. */
export function callEvents(item: FunctionCallItem, output_index: number): readonly ItemEvent[] {
  const { id: item_id, name, arguments: text } = item
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', item_id, output_index, delta: text },
    { type: 'response.function_call_arguments.done', item_id, output_index, name, arguments: text },
    { type: 'response.output_item.done', output_index, item },
  ]
}

function where({ itemId: item_id, index: output_index, kind }: WrittenPart) {
  return { item_id, output_index, ...(kind === 'text' ? { content_index: 0 } : { summary_index: 0 }) }
}

function outputText(text: string): OutputText {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function summaryText(text: string): SummaryText {
  return { type: 'summary_text', text }
}
