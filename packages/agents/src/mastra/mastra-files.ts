import type { AgentEvent } from '../agent-event.ts'
import type { MadeFile, Source } from './mastra-chunk.ts'

type FileChunk = Extract<AgentEvent, { type: 'file' }>['chunk']
type SourceChunk = Extract<AgentEvent, { type: 'source' }>['chunk']

/** Returns a file that the model has made, with its data in the address. */
export function fileChunk(type: FileChunk['type'], { data, base64, mimeType }: MadeFile): FileChunk {
  const encoded = base64 ?? (typeof data === 'string' ? data : Buffer.from(data).toString('base64'))
  return { type, mediaType: mimeType, url: `data:${mimeType};base64,${encoded}` }
}

export function sourceChunk({ id: sourceId, sourceType, title, ...source }: Source): SourceChunk {
  if (sourceType === 'url') return { type: 'source-url', sourceId, url: source.url ?? '', title }
  const { mimeType: mediaType = 'application/octet-stream', filename } = source
  return { type: 'source-document', sourceId, mediaType, title, ...(filename !== undefined && { filename }) }
}
