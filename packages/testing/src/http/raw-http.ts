import { connect, type Socket } from 'node:net'
import { z } from 'zod'

/** One HTTP/1.1 response as it came over the socket. */
export interface RawResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A plain TCP connection: sends what no HTTP client would. */
export class RawConnection implements AsyncDisposable {
  readonly #socket: Socket
  readonly #closed: Promise<void>
  #received = Buffer.alloc(0)
  #wake: () => void = () => undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    // Half open, so that the server's answer to an end of ours still arrives.
    this.#socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    this.#socket.on('data', piece => {
      this.#received = Buffer.concat([this.#received, piece])
      this.#wake()
    })
    // A refusal may come as a reset: what was received until then counts.
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

  /** Says that nothing more will be sent, and waits until the server has said the same. */
  async finish(): Promise<Buffer> {
    if (this.#socket.writable) this.#socket.end()
    await this.#closed
    return this.#received
  }

  /** The next whole response; `undefined` when the server has hung up instead. */
  async response(): Promise<RawResponse | undefined> {
    let isClosed = false
    const closed = this.#closed.then(() => {
      isClosed = true
    })
    for (;;) {
      const parsed = parseResponse(this.#received)
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length)
        // "100 Continue" is no answer.
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

/** The refusal in a response; throws, with the request, when it is anything else. */
export function problemIn(response: RawResponse | undefined, request: string): z.infer<typeof problem> {
  const answer = response === undefined ? 'no answer' : `${response.status} ${response.body.slice(0, 500)}`
  try {
    const refusal = problem.parse(JSON.parse(response?.body ?? ''))
    const type = response?.headers.get('content-type')
    if (type === 'application/problem+json' && refusal.status === response?.status) return refusal
  } catch {
    // Told below, with what was sent.
  }
  throw new Error(`Not refused with a problem: ${JSON.stringify(request.slice(0, 500))} got ${answer}`)
}

/** Responses with a length, or without a body; that is all our server sends, streams apart. */
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
