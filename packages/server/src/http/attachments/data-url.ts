/** What is in a data URL. */
export interface DataUrlContent {
  /** In lower case and without parameters. Empty when the URL does not say it. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/** In characters. A longer beginning is no media type. */
const maxHeaderLength = 200

/**
 * Decodes a data URL. The data may be base64 or percent-encoded text. Base64 may be percent-encoded too, may contain
 * white space, and may lack its padding. Returns `undefined` when the data cannot be decoded: nothing is guessed.
 */
export function readDataUrl(url: string): DataUrlContent | undefined {
  const comma = url.indexOf(',')
  if (!isDataUrl(url) || comma === -1 || comma > maxHeaderLength) return undefined
  const [mediaType = '', ...parameters] = url
    .slice('data:'.length, comma)
    .split(';')
    .map(each => each.trim().toLowerCase())
  const data = percentDecoded(url.slice(comma + 1))
  if (data === undefined) return undefined
  if (parameters.at(-1) !== 'base64') return { mediaType, bytes: Buffer.from(data) }
  const base64 = data.replace(/[\t\n\f\r ]/g, '')
  return isBase64(base64) ? { mediaType, bytes: Buffer.from(base64, 'base64') } : undefined
}

/** Returns whether a URL is a data URL. */
export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url)
}

function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

// Node decodes anything as base64, and skips what it does not know. So the check has to come first.
function isBase64(text: string): boolean {
  const [digits = ''] = /^[A-Za-z0-9+/]*/.exec(text) ?? []
  return digits.length % 4 !== 1 && /^={0,2}$/.test(text.slice(digits.length))
}
