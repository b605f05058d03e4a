import { isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'

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

type Fields = Readonly<Record<string, unknown>>

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
export function messagesIn(output: unknown): readonly Fields[] {
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

function isMessage(value: unknown): value is Fields {
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
function callFields({ id, name, args, function: called }: Fields): Fields {
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
export function contentOf(message: unknown): readonly ContentPiece[] {
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
function blocksOf(message: Fields): readonly Fields[] {
  const { contentBlocks, content } = message
  if (contentBlocks !== undefined) return listIn(message, 'contentBlocks')
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(message, 'content')
}

function pieceOf(block: Fields): readonly ContentPiece[] {
  const { type, text, reasoning, thinking, data, mime_type, mimeType = mime_type } = block
  if (type === 'text' && isText(text)) return [{ type: 'text', text }]
  if (type === 'reasoning' && isText(reasoning)) return [{ type: 'reasoning', text: reasoning }]
  if (type === 'thinking' && isText(thinking)) return [{ type: 'reasoning', text: thinking }]
  if ((type === 'image' || type === 'file') && isText(data) && isText(mimeType))
    return [{ type: 'file', mediaType: mimeType, data }]
  return []
}

function listIn(value: unknown, field: string): readonly Fields[] {
  const list = isRecord(value) ? value[field] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** Returns whether a value is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
