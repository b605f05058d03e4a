/** What of a response had left the server. */
export interface SeenResponse {
  readonly status: number
  /** In latin1: one character is one byte. */
  readonly body: string
  readonly isWhole: boolean
}

/** Reads the bytes of a response, as far as they came. Returns `undefined` while the head is not complete. */
export function readResponse(bytes: string): SeenResponse | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const head = bytes.slice(0, headEnd)
  const rest = bytes.slice(headEnd + 4)
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  if (/^transfer-encoding: chunked$/im.test(head)) return { status, ...readChunked(rest) }
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  return { status, body: rest.slice(0, length), isWhole: rest.length >= length }
}

function readChunked(bytes: string): Pick<SeenResponse, 'body' | 'isWhole'> {
  let body = ''
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body, isWhole: false }
    const length = Number.parseInt(bytes.slice(at, lineEnd), 16)
    if (length === 0) return { body, isWhole: true }
    body += bytes.slice(lineEnd + 2, lineEnd + 2 + length)
    at = lineEnd + 2 + length + 2
    if (at > bytes.length) return { body, isWhole: false }
  }
}
