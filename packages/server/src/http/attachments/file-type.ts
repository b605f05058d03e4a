import { sniffPicture } from '@throughline/agents/internal'
import { isTextType } from '../../runs/file-types.ts'

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
