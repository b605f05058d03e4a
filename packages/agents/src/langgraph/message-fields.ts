import { isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { FinishReason, TokenCounts } from '../agent/agent-event.ts'
import { fieldsOf, isText, type UncheckedFields } from '../values/fields.ts'
import { tokenCounts } from '../values/token-counts.ts'

/** A tool call in a message of a model. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

/** A piece of a tool call while it streams. */
export interface CallPiece {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly args: string
  readonly index: unknown
}

/** A piece of what a model says. */
export type ContentPiece =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string }

/**
 * Returns the type of a LangChain message: `ai`, `tool`, `human`, …; `undefined` when the value is none. A node may also write
 * messages as plain objects, with a `type` or with a `role`.
 */
export function typeOf(message: unknown): string | undefined {
  if (!isRecord(message) || !('content' in message)) return undefined
  const { type, role } = message
  if (typeof type === 'string') return type === 'assistant' ? 'ai' : type
  return typeof role === 'string' ? typeOfRole[role] : undefined
}

const typeOfRole: Readonly<Record<string, string>> = {
  assistant: 'ai',
  ai: 'ai',
  tool: 'tool',
  user: 'human',
  human: 'human',
  system: 'system',
  developer: 'system',
}

/** Returns the messages in what a node returns: alone, in a list, in the channels of the state, or in a `Command`. */
export function messagesIn(output: unknown): readonly UncheckedFields[] {
  return itemsOf(output).flatMap(item => {
    const update = isRecord(item) && item['lg_name'] === 'Command' ? item['update'] : item
    if (isMessage(update)) return [update]
    return isRecord(update)
      ? Object.values(update).flatMap(channel => itemsOf(channel).filter(isMessage))
      : []
  })
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function isMessage(value: unknown): value is UncheckedFields {
  return typeOf(value) !== undefined
}

/** Returns the calls of a message whose inputs have come in full. A call without an id cannot have a result. */
export function callsIn(message: unknown): readonly MessageCall[] {
  return listIn(message, 'tool_calls').flatMap(call => {
    const { id, name, args } = callFields(call)
    return isText(id) && isText(name) ? [{ id, name, args }] : []
  })
}

/** Returns the calls of a message whose inputs are no JSON. */
export function invalidCallsIn(message: unknown): readonly MessageCall[] {
  return listIn(message, 'invalid_tool_calls').flatMap(({ id, name, args }) =>
    isText(id) && isText(name) ? [{ id, name, args }] : [],
  )
}

/** Plain objects may have their calls as OpenAI's API has them. */
function callFields({ id, name, args, function: called }: UncheckedFields): UncheckedFields {
  if (!isRecord(called)) return { id, name, args }
  const { name: toolName, arguments: text } = called
  return { id, name: toolName, args: typeof text === 'string' ? (parseJson(text) ?? text) : text }
}

/** Returns what a chunk of a message adds to its calls. */
export function callPiecesIn(chunk: unknown): readonly CallPiece[] {
  return listIn(chunk, 'tool_call_chunks').map(({ id, name, args, index }) => ({
    id: isText(id) ? id : undefined,
    name: isText(name) ? name : undefined,
    args: isText(args) ? args : '',
    index,
  }))
}

/** Returns what a message, or a chunk of one, says. Calls are left out. */
export function piecesIn(message: unknown): readonly ContentPiece[] {
  if (!isRecord(message)) return []
  // LangChain translates the forms of the providers into its standard blocks.
  const pieces = blocksOf(message).flatMap(pieceOf)
  const thought = isRecord(message['additional_kwargs'])
    ? message['additional_kwargs']['reasoning_content']
    : undefined
  // Where LangChain does not know the provider, its reasoning is left here.
  const isMissing = isText(thought) && !pieces.some(({ type }) => type === 'reasoning')
  return isMissing ? [{ type: 'reasoning', text: thought }, ...pieces] : pieces
}

/** A plain object has a `content` as people write it: a text, or a list of blocks. */
function blocksOf(message: UncheckedFields): readonly UncheckedFields[] {
  const { contentBlocks, content } = message
  if (contentBlocks !== undefined) return listIn(message, 'contentBlocks')
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(message, 'content')
}

function pieceOf(block: UncheckedFields): readonly ContentPiece[] {
  const { type, text, reasoning, thinking, data, mime_type, mimeType = mime_type } = block
  if (type === 'text' && isText(text)) return [{ type: 'text', text }]
  if (type === 'reasoning' && isText(reasoning)) return [{ type: 'reasoning', text: reasoning }]
  if (type === 'thinking' && isText(thinking)) return [{ type: 'reasoning', text: thinking }]
  if ((type === 'image' || type === 'file') && isText(data) && isText(mimeType))
    return [{ type: 'file', mediaType: mimeType, data }]
  return []
}

function listIn(value: unknown, field: string): readonly UncheckedFields[] {
  const list = isRecord(value) ? value[field] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/**
 * Returns the name of a model as usage and prices have it, `provider:model`, from the metadata that LangChain gives a
 * model's run, or a message; `undefined` when it is not there.
 */
export function modelNameIn(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined
  const name = metadata['ls_model_name'] ?? metadata['model_name'] ?? metadata['model']
  const provider = metadata['ls_provider'] ?? metadata['model_provider']
  if (!isText(name)) return undefined
  if (!isText(provider)) return name
  // LangChain has several packages for Google's models. The models and their prices are the same.
  return `${provider.startsWith('google') ? 'google' : provider}:${name}`
}

/** Returns a message's `usage_metadata` as we count it; `undefined` when there is none. */
export function tokenCountsOf(usage: unknown): TokenCounts | undefined {
  if (!isRecord(usage)) return undefined
  return tokenCounts({
    input: usage['input_tokens'],
    output: usage['output_tokens'],
    total: usage['total_tokens'],
    reasoning: fieldsOf(usage['output_token_details'])['reasoning'],
    cached: fieldsOf(usage['input_token_details'])['cache_read'],
  })
}

/** Returns why a model has ended. Each provider has its own field and its own words. */
export function finishReasonOf(metadata: unknown): FinishReason {
  const { finish_reason, stop_reason, finishReason, stopReason } = fieldsOf(metadata)
  switch (String(finish_reason ?? stop_reason ?? finishReason ?? stopReason).toLowerCase()) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
    case 'content-filter':
    case 'safety':
    case 'refusal':
      return 'content-filter'
    default:
      return 'stop'
  }
}
