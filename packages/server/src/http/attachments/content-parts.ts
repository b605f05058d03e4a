import { isRecord } from '@throughline/protocol'

/**
 * Returns the parts of a message from its `content`, as AG-UI, AI SDK 4 and assistant-ui write it: a text, or a list of
 * texts and files. Files become file parts of the AI SDK. Any other value is returned unchanged; it is checked later.
 */
export function contentParts(content: unknown): unknown {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(partOf) : content
}

/** Returns the file part of an attachment of AI SDK 4: `{name, contentType, url}`. */
export function attachmentPart(attachment: unknown): unknown {
  if (!isRecord(attachment)) return attachment
  const { name, contentType, url } = attachment
  return { type: 'file', mediaType: contentType, url, filename: name }
}

function partOf(part: unknown): unknown {
  if (!isRecord(part)) return part
  const { type, data, image, url, source, filename, mediaType, mimeType } = part
  switch (type) {
    // assistant-ui
    case 'file':
      return { type, mediaType: mediaType ?? mimeType, url: url ?? data, filename }
    // AG-UI before 1.0
    case 'binary':
      return { type: 'file', mediaType: mimeType, url: url ?? fromBase64(data, mimeType), filename }
    // assistant-ui, or AG-UI 1.0
    case 'image':
    case 'document':
    case 'audio':
    case 'video':
      return isRecord(source) ? sourcePart(source, filename) : { type: 'file', url: image, filename }
    default:
      return part
  }
}

/** The file of an AG-UI part: base64 (`data`) or an address (`url`). */
function sourcePart(source: Readonly<Record<string, unknown>>, filename: unknown): unknown {
  const { type, value, mimeType } = source
  const url = type === 'data' ? fromBase64(value, mimeType) : value
  return { type: 'file', mediaType: mimeType, url, filename }
}

function fromBase64(data: unknown, mediaType: unknown): unknown {
  return typeof data === 'string' && typeof mediaType === 'string'
    ? `data:${mediaType.slice(0, 100)};base64,${data}`
    : undefined
}
