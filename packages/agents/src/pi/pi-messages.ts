import {
  type FilePart,
  isRecord,
  isToolPart,
  type Message,
  type Part,
  type ToolPart,
  toolNameOf,
} from '@throughline/protocol'
import type { AgentRequest } from '../agent/agent.ts'
import { goOnNote } from '../ai-sdk/request-messages.ts'

type UserBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

type AssistantBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly thinkingSignature: string }
  | {
      readonly type: 'toolCall'
      readonly id: string
      readonly name: string
      readonly arguments: unknown
      readonly thoughtSignature?: string
    }

/** A message as pi has it. */
export type PiMessage = { readonly timestamp: number } & (
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | ({
      readonly role: 'assistant'
      readonly content: readonly AssistantBlock[]
      readonly stopReason: 'stop' | 'toolUse'
      readonly usage: typeof noUsage
    } & ModelFields)
  | {
      readonly role: 'toolResult'
      readonly toolCallId: string
      readonly toolName: string
      readonly content: readonly UserBlock[]
      readonly isError: boolean
    }
)

interface ModelFields {
  readonly api: string
  readonly provider: string
  readonly model: string
}

/**
 * Returns a chat as pi has it: texts, pictures, tool calls with their results, and the reasoning that a provider has signed.
 * Calls without a result are left out, because providers refuse them. The beginning of an answer whose process died comes
 * last, with a note if it ends with the model's own words: pi answers a message of the user, or the results of tools.
 */
export function piMessages({
  messages,
  answerSoFar,
}: Pick<AgentRequest, 'messages' | 'answerSoFar'>): readonly PiMessage[] {
  if (answerSoFar === undefined) return messages.flatMap(messagesOf)
  const all = [...messages, answerSoFar].flatMap(messagesOf)
  return all.at(-1)?.role === 'assistant' ? [...all, userMessage([textBlock(goOnNote)])] : all
}

function messagesOf({ role, parts }: Message): readonly PiMessage[] {
  switch (role) {
    case 'system': {
      const content = parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
      return content === '' ? [] : [{ role, content, timestamp }]
    }
    case 'user': {
      const content = parts.flatMap(userBlocks)
      return content.length === 0 ? [] : [userMessage(content)]
    }
    case 'assistant':
      return stepsOf(parts).flatMap(stepMessages)
  }
}

// The log knows the time of each message, but no model reads it.
const timestamp = 0

function userMessage(content: readonly UserBlock[]): PiMessage {
  return { role: 'user', content, timestamp }
}

function userBlocks(part: Part): readonly UserBlock[] {
  if (part.type === 'text') return part.text === '' ? [] : [textBlock(part.text)]
  return part.type === 'file' ? [fileBlock(part)] : []
}

/** The contents of a person's file are in a data URL. Pi has pictures, and no other files. */
function fileBlock({ mediaType, url, filename = 'file' }: FilePart): UserBlock {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1]
  return mediaType.startsWith('image/') && data !== undefined
    ? { type: 'image', data, mimeType: mediaType }
    : textBlock(`[The user has attached ${filename} (${mediaType}), which you cannot read.]`)
}

function textBlock(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text }
}

/** Returns the parts of each model call. */
function stepsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function stepMessages(parts: readonly Part[]): readonly PiMessage[] {
  const content = parts.flatMap(assistantBlocks)
  if (content.length === 0) return []
  const results = parts.filter(isToolPart).flatMap(resultMessages)
  const stopReason = results.length === 0 ? 'stop' : 'toolUse'
  return [
    { role: 'assistant', content, ...modelOf(parts), usage: noUsage, stopReason, timestamp },
    ...results,
  ]
}

function assistantBlocks(part: Part): readonly AssistantBlock[] {
  if (part.type === 'text') return part.text === '' ? [] : [textBlock(part.text)]
  if (part.type === 'reasoning') {
    const thinkingSignature = piFields(part.providerMetadata)['signature']
    if (typeof thinkingSignature !== 'string') return []
    return [{ type: 'thinking', thinking: part.text, thinkingSignature }]
  }
  if (!isToolPart(part) || resultOf(part) === undefined) return []
  const { toolCallId: id, input = {}, callProviderMetadata } = part
  const thoughtSignature = piFields(callProviderMetadata)['signature']
  const signed = typeof thoughtSignature === 'string' ? { thoughtSignature } : {}
  return [{ type: 'toolCall', id, name: toolNameOf(part), arguments: input, ...signed }]
}

/** Pi hands signatures only to the model that has signed. It compares these names. */
function modelOf(parts: readonly Part[]): ModelFields {
  for (const part of parts) {
    const metadata = isToolPart(part)
      ? part.callProviderMetadata
      : part.type === 'reasoning'
        ? part.providerMetadata
        : undefined
    const { api, provider, model } = piFields(metadata)
    if (typeof api === 'string' && typeof provider === 'string' && typeof model === 'string')
      return { api, provider, model }
  }
  return { api: 'unknown', provider: 'unknown', model: 'unknown' }
}

function piFields(metadata: unknown): Readonly<Record<string, unknown>> {
  const fields = isRecord(metadata) ? metadata['pi'] : undefined
  return isRecord(fields) ? fields : {}
}

// Throughline has counted the calls of earlier answers.
const noUsage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

function resultMessages(part: ToolPart): readonly PiMessage[] {
  const result = resultOf(part)
  if (result === undefined) return []
  const { toolCallId } = part
  return [{ role: 'toolResult', toolCallId, toolName: toolNameOf(part), ...result, timestamp }]
}

/** Returns what the model reads as the result of a call; `undefined` when the call has none. */
function resultOf({ state, output, errorText, preliminary, approval }: ToolPart) {
  switch (state) {
    case 'output-available':
      return preliminary === true ? undefined : { content: outputBlocks(output), isError: false }
    case 'output-error':
      return { content: [textBlock(errorText ?? 'The tool failed.')], isError: true }
    case 'output-denied':
      return { content: [textBlock(approval?.reason ?? 'The user did not allow this call.')], isError: true }
    case 'input-streaming':
    case 'input-available':
    case 'approval-requested':
    case 'approval-responded':
      return undefined
  }
}

/** The output of a tool of pi is its text, or `{ content, details }` (see pi-reader.ts). Pictures are addresses by now. */
function outputBlocks(output: unknown): readonly UserBlock[] {
  if (typeof output === 'string') return [textBlock(output)]
  const content = isRecord(output) && Array.isArray(output['content']) ? output['content'] : [output]
  return content.map(block =>
    isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
      ? textBlock(block['text'])
      : textBlock(JSON.stringify(block) ?? 'null'),
  )
}
