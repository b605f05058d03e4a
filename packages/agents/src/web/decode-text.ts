/**
 * Decodes bytes in the encoding that a browser would choose. These are tried in order: the byte order mark, the charset
 * of the `contentType` header, and the charset that an HTML page declares. Without any of them the text is UTF-8 if it
 * is valid UTF-8, and Windows-1252 otherwise, as old pages are. Never throws: invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const named =
    byteOrderMarkEncoding(bytes) ??
    headerCharset(contentType) ??
    (isHtml ? declaredCharset(bytes) : undefined)
  const decoder = named === undefined ? undefined : decoderFor(named)
  return decoder === undefined ? decodeUnnamed(bytes) : decoder.decode(bytes)
}

function byteOrderMarkEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return undefined
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType.slice(0, 1000))?.[1]
}

// Browsers search the first 1024 bytes. Some pages declare their charset a little later.
const searchedBytes = 4096

function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, searchedBytes))
  const named =
    /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
  // The declaration was found in single bytes, so the page cannot be UTF-16. Browsers take UTF-8 then, too.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    // The name of the encoding is unknown. The text may still be readable without it.
    return undefined
  }
}

function decodeUnnamed(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The bytes are not UTF-8. In Windows-1252 every byte is a character.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
