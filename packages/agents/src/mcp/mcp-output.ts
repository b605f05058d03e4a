import { isRecord } from '@throughline/protocol'
import { shorten } from '@throughline/protocol/internal'
import { withoutInvisible } from '../web/without-invisible.ts'
import type { McpCallResult } from './mcp-connection.ts'

const maxErrorChars = 2_000

/** The server has carried out the call, and the tool failed. The message comes from the server. */
export class McpToolFailed extends Error {
  override readonly name = 'McpToolFailed'
}

/**
 * Returns the output of a call: its structured content, or its text when it has none. Pictures are data URLs; the writer of
 * the message makes files of them. Throws `McpToolFailed` when the result is an error.
 */
export function outputOf(result: McpCallResult): unknown {
  if (!('content' in result) || !Array.isArray(result.content))
    return { result: result['toolResult'] ?? null }
  const pictures = result.content.flatMap(pictureOf)
  const text = result.content
    .filter(part => pictureOf(part).length === 0)
    .map(textOf)
    .join('\n')
  if (result.isError === true)
    throw new McpToolFailed(shorten(text, maxErrorChars) || 'The tool failed and did not say why.')
  const { structuredContent } = result
  if (pictures.length === 0) return structuredContent ?? text
  return { ...(isRecord(structuredContent) ? structuredContent : { text }), pictures }
}

/** The media type in the data URL does not matter: later, the bytes decide what kind of picture it is. */
function pictureOf(part: ContentPart): readonly string[] {
  const { resource, mimeType } = part
  const [type, base64] =
    part.type === 'image'
      ? [mimeType, part['data']]
      : isRecord(resource)
        ? [resource['mimeType'], resource['blob']]
        : []
  return typeof base64 === 'string' && String(type).startsWith('image/')
    ? [`data:image/png;base64,${base64}`]
    : []
}

interface ContentPart {
  readonly type: string
  readonly [key: string]: unknown
}

function textOf(part: ContentPart): string {
  if (typeof part['text'] === 'string') return withoutInvisible(part['text'])
  const { resource } = part
  if (typeof resource === 'object' && resource !== null && 'text' in resource)
    return withoutInvisible(String(resource.text))
  if (typeof part['uri'] === 'string') return `[${part.type}: ${part['uri']}]`
  const { mimeType = part.type } = part
  return `[${String(mimeType)}, not shown]`
}
