import { type Chunk, isRecord } from '@throughline/protocol'

const longest = 160

/** Returns what a chunk says, in a few words on one line; empty when its type says everything. */
export function summaryOf(chunk: Chunk): string {
  if ('delta' in chunk) return quoted(chunk.delta)
  if ('inputTextDelta' in chunk) return quoted(chunk.inputTextDelta)
  if ('errorText' in chunk) return shortened(chunk.errorText)
  if ('toolName' in chunk) return chunk.toolName
  if (chunk.type === 'finish') return chunk.messageMetadata?.status ?? chunk.finishReason ?? ''
  if (chunk.type === 'start') return chunk.messageMetadata?.senderName ?? ''
  if ('data' in chunk) return dataSummary(chunk.data)
  if ('toolCallId' in chunk) return chunk.toolCallId
  return 'id' in chunk && chunk.id !== undefined ? chunk.id : ''
}

function dataSummary(data: unknown): string {
  if (!isRecord(data)) return ''
  const { parts, title, status } = data
  if (typeof title === 'string')
    return `${shortened(title)} ${typeof status === 'string' ? status : ''}`.trim()
  const first: unknown = Array.isArray(parts)
    ? parts.find(part => isRecord(part) && typeof part['text'] === 'string')
    : undefined
  return isRecord(first) ? quoted(String(first['text'])) : ''
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text))
}

/** A text can have megabytes. Only its beginning is looked at. */
function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
