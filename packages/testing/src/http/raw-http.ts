import { connect, type Socket } from 'node:net'
import { z } from 'zod'

/** One HTTP/1.1 response, read from the socket. */
export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A plain TCP connection, for requests that no HTTP client would send. */
export class RawConnection implements AsyncDisposable {
  readonly #socket: Socket
  readonly #closed: Promise<void>
  #received = Buffer.alloc(0)
  #wake: () => void = () => undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    // Half open: after our end, the server's response still arrives.
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    this.#socket.on('data', piece => {
      this.#received = Buffer.concat([this.#received, piece])
      this.#wake()
    })
    // The server may refuse with a reset. What was received before it counts.
    this.#socket.on('error', () => undefined)
    this.#closed = new Promise(resolve => {
      const close = () => {
        resolve()
        this.#wake()
      }
      this.#socket.on('end', close).on('close', close)
    })
  }

  send(bytes: string | Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** Ends our side of the connection, and waits until the server has ended its side. */
  async finish(): Promise<Buffer> {
    if (this.#socket.writable) this.#socket.end()
    await this.#closed
    return this.#received
  }

  /** Returns the next whole response, or `undefined` if the server closed the connection instead. */
  async response(): Promise<RawResponse | undefined> {
    let isClosed = false
    const closed = this.#closed.then(() => {
      isClosed = true
    })
    for (;;) {
      const parsed = parseResponse(this.#received)
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length)
        // "100 Continue" is not the final response.
        if (parsed.response.status < 200) continue
        return parsed.response
      }
      if (isClosed) return undefined
      await Promise.race([closed, new Promise<void>(resolve => (this.#wake = resolve))])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
    await this.#closed
  }
}

const problem = z.object({
  status: z.number().min(400).max(499),
  code: z.string().regex(/^[a-z-]+$/),
  detail: z.string().endsWith('.'),
})

/** Returns the problem in a response. Throws if there is none; the error shows the request. */
export function problemIn(response: RawResponse | undefined, request: string): z.infer<typeof problem> {
  const answer = response === undefined ? 'no answer' : `${response.status} ${response.body.slice(0, 500)}`
  try {
    const refusal = problem.parse(JSON.parse(response?.body ?? ''))
    const type = response?.headers.get('content-type')
    if (type === 'application/problem+json' && refusal.status === response?.status) return refusal
  } catch {
    // The error below shows it together with the request.
  }
  throw new Error(`Not refused with a problem: ${JSON.stringify(request.slice(0, 500))} got ${answer}`)
}

/** Reads responses that have a length or no body. Except for streams, our server sends no others. */
function parseResponse(bytes: Buffer): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Map(
    lines.map(line => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (bytes.length < length) return undefined
  const status = Number(statusLine.split(' ')[1])
  return { response: { status, headers, body: bytes.subarray(headEnd + 4, length).toString() }, length }
}
