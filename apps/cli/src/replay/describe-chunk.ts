import { type Chunk, isRecord } from '@throughline/protocol'
import { inOneLine, jsonLine } from '../text/plain-text.ts'

/** Returns a chunk in words, complete and on one line. */
export function describeChunk(chunk: Chunk): string {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return `${kindOf(chunk)} ${jsonLine(chunk.delta)}`
    case 'text-start':
    case 'reasoning-start':
      return `${kindOf(chunk)} begins`
    case 'text-end':
    case 'reasoning-end':
      return `${kindOf(chunk)} ends`
    case 'source-url':
      return `source ${chunk.url}`
    case 'source-document':
      return `source ${jsonLine(chunk.title)}`
    case 'file':
    case 'reasoning-file':
      return `file of type ${chunk.mediaType}`
    case 'start-step':
      return 'step begins'
    case 'finish-step':
      return 'step ends'
    case 'reset-step':
      return 'step is made again'
    case 'start':
      return 'message begins'
    case 'message-metadata':
      return `metadata ${jsonLine(chunk.messageMetadata)}`
    case 'finish':
      return `message ends: ${chunk.messageMetadata?.status ?? 'finished'}${tokensOf(chunk)}`
    case 'abort':
      return `message ends: ${chunk.reason ?? 'stopped'}`
    case 'error':
      return `message ends: failed: ${jsonLine(chunk.errorText)}`
    case 'custom':
      return `custom ${chunk.kind}`
    case 'steering-message':
      return 'message to the running agent'
    default:
      return chunk.type.startsWith('tool-') ? describeToolChunk(chunk) : describeData(chunk)
  }
}

function describeToolChunk(chunk: Chunk): string {
  switch (chunk.type) {
    case 'tool-input-start':
      return `call of ${chunk.toolName} begins`
    case 'tool-input-delta':
      return `input ${inOneLine(chunk.inputTextDelta)}`
    case 'tool-input-available':
      return `call of ${chunk.toolName} with ${jsonLine(chunk.input)}`
    case 'tool-input-error':
      return `call of ${chunk.toolName} with a bad input: ${jsonLine(chunk.errorText)}`
    case 'tool-output-available':
      return `${chunk.preliminary === true ? 'progress' : 'result'} ${jsonLine(chunk.output)}`
    case 'tool-output-error':
      return `call failed: ${jsonLine(chunk.errorText)}`
    case 'tool-output-denied':
      return 'call was not allowed'
    case 'tool-approval-request':
      return 'call waits for approval'
    case 'tool-approval-response':
      return chunk.approved ? 'call was approved' : 'call was denied'
    default:
      return chunk.type
  }
}

function describeData(chunk: Chunk): string {
  if (!('data' in chunk)) return chunk.type
  const { type, data } = chunk
  if (type === 'data-message' && isRecord(data) && Array.isArray(data['parts'])) {
    const texts = data['parts'].flatMap(part =>
      isRecord(part) && 'text' in part ? [String(part['text'])] : [],
    )
    return `says ${jsonLine(texts.join('\n\n'))}`
  }
  if (type === 'data-step' && isRecord(data)) {
    const took = data['durationMs'] === undefined ? '' : ` after ${data['durationMs']} ms`
    return `step ${data['number']}, ${jsonLine(data['title'])}: ${data['status']}${took}`
  }
  return `${type.slice('data-'.length)} ${jsonLine(data)}`
}

function kindOf({ type }: Chunk): string {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function tokensOf({ messageMetadata }: Extract<Chunk, { type: 'finish' }>): string {
  const { usage } = messageMetadata ?? {}
  return usage === undefined ? '' : `, ${usage.totalTokens} tokens`
}
