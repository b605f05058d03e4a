import { decodeText } from './decode-text.ts'
import { htmlToText } from './html-to-text.ts'
import type { PageText } from './page-reader.ts'
import { WebAccessError } from './web-access-error.ts'
import { withoutInvisible } from './without-invisible.ts'

/** What was read from a response. */
export type ReadableText = PageText & {
  /** The media type without parameters, such as "text/html". */
  readonly contentType: string
}

/** The content of a response. `contentType` is the header as it was sent. */
export type Content = {
  readonly url: string
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/**
 * Returns the text of a response: HTML as Markdown; text, JSON, XML and similar data as they are. Invisible characters
 * are removed. Guesses the type if the header has none. Throws a `WebAccessError`: `unsupported-type` for any other
 * content, and `aborted` when the signal aborts.
 */
export async function readableText(content: Content, signal?: AbortSignal): Promise<ReadableText> {
  const { url, contentType: header = '', body } = content
  const contentType = mediaTypeOf(header) ?? guessedType(body)
  const kind = kindOf(contentType)
  if (kind === undefined) {
    const message = `The content is of type ${contentType}. Only web pages, text, JSON and XML can be read.`
    throw new WebAccessError('unsupported-type', message)
  }
  const text = decodeText(body, header, kind === 'html')
  if (kind === 'text') return { contentType, title: '', text: withoutInvisible(text).trim() }
  const page = await htmlToText(text, { url, isXml: contentType === 'application/xhtml+xml', signal })
  return { contentType, title: withoutInvisible(page.title), text: withoutInvisible(page.text).trim() }
}

// The type becomes part of an error message. So a header that is not a plain media type is ignored: a server must not
// be able to write that message.
function mediaTypeOf(header: string): string | undefined {
  return /^\s*([a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60})\s*(?:;|,|$)/i
    .exec(header)?.[1]
    ?.toLowerCase()
}

function kindOf(contentType: string): 'html' | 'text' | undefined {
  if (contentType === 'text/html' || contentType === 'application/xhtml+xml') return 'html'
  const isData = /^application\/(?:json|ld\+json|x-ndjson|xml|yaml|toml)$|\+(?:json|xml|yaml)$/.test(
    contentType,
  )
  return isData && !contentType.startsWith('image/')
    ? 'text'
    : contentType.startsWith('text/')
      ? 'text'
      : undefined
}

function guessedType(body: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(body.subarray(0, 1024))
  if (/^\s*(?:<!doctype\s+html|<html|<head|<body)/i.test(head.replace(/^\u00ef\u00bb\u00bf/, '')))
    return 'text/html'
  const hasMark = head.startsWith('\u00ff\u00fe') || head.startsWith('\u00fe\u00ff')
  return head.includes('\0') && !hasMark ? 'application/octet-stream' : 'text/plain'
}
