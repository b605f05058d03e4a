/**
 * Bytes to text, in the encoding a browser would take: a byte order mark, else what the header says, else what an HTML
 * page says about itself, else UTF-8 when it is that, else Windows-1252, which is what unnamed old pages mean.
 */
export function decodeText(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const named = markEncoding(bytes) ?? headerCharset(contentType) ?? (isHtml ? ownCharset(bytes) : undefined)
  const decoder = named === undefined ? undefined : decoderFor(named)
  return decoder === undefined ? decodeUnnamed(bytes) : decoder.decode(bytes)
}

function markEncoding(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return undefined
}

function headerCharset(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType.slice(0, 1000))?.[1]
}

// Browsers look at the first 1024 bytes; some pages say it a little later.
const searchedBytes = 4096

function ownCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, searchedBytes))
  const named =
    /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1]
  // It was readable byte by byte, so it cannot be UTF-16, whatever it says.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    // An unknown name says nothing; the bytes may still be readable.
    return undefined
  }
}

function decodeUnnamed(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8. Every byte means something in Windows-1252.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
