import { sniffPicture } from '@throughline/agents/internal'
import { isTextType } from '../../files/file-types.ts'

/** What a client says about a file. */
export interface FileClaims {
  /** Media types: of the file part, and of its data URL. The first one counts more. */
  readonly mediaTypes: readonly string[]
  readonly filename: string | undefined
}

/**
 * Returns the media type of a file, or `undefined` when the file is of no type that is accepted, or not of the type that
 * the client says. Pictures and PDFs are recognised by their bytes. Kinds of text look the same, so there the client's word
 * counts, but the bytes must be UTF-8 text. A client that says nothing, or `application/octet-stream`, fits any file.
 */
export function fileType(bytes: Uint8Array, { mediaTypes, filename = '' }: FileClaims): string | undefined {
  const claims = mediaTypes.map(canonicalType).filter(type => !unspecific.has(type))
  const [claim] = claims
  if (claim !== undefined && isTextType(claim)) {
    return claims.every(isTextType) && isTextOf(claim, bytes) ? claim : undefined
  }
  const found = sniffPicture(bytes)?.mediaType ?? (isPdf(bytes) ? 'application/pdf' : undefined)
  if (claim !== undefined)
    return found !== undefined && claims.every(each => each === found) ? found : undefined
  return found ?? textTypesFor(filename).find(type => isTextOf(type, bytes))
}

const unspecific: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

/** Other names that browsers and programs use. */
const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'application/x-pdf': 'application/pdf',
  'text/x-markdown': 'text/markdown',
  'application/csv': 'text/csv',
}

function canonicalType(mediaType: string): string {
  const [type = ''] = mediaType.split(';')
  const name = type.trim().toLowerCase()
  return otherNames[name] ?? name
}

/** Returns the types that a text file may have, the likeliest first. */
function textTypesFor(filename: string): readonly string[] {
  const [, extension = ''] = /\.([a-z]+)$/i.exec(filename) ?? []
  const byName = typesByExtension[extension.toLowerCase()]
  return byName === undefined ? ['text/plain'] : [byName, 'text/plain']
}

const typesByExtension: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
}

function isTextOf(type: string, bytes: Uint8Array): boolean {
  const text = textIn(bytes)
  if (text === undefined || text.includes('\0')) return false
  return type !== 'application/json' || isJson(text)
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isPdf(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 5)).toString('latin1') === '%PDF-'
  )
}

/** What is in a data URL. */
interface DataUrlContent {
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
