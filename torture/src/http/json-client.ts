import { Agent, request } from 'node:http'

/** A response, or `broken` when the connection ended before the whole response was there. */
export type Reply =
  | { readonly type: 'response'; readonly status: number; readonly body: string }
  | { readonly type: 'broken' }

/** Sends requests with JSON over connections that stay open. */
export class JsonClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #url: string
  readonly #timeoutMs: number | undefined

  /** A response that takes longer than `timeoutMs` counts as broken. By default the client waits. */
  constructor(url: string, options: { readonly timeoutMs?: number } = {}) {
    this.#url = url
    this.#timeoutMs = options.timeoutMs
  }

  get(path: string): Promise<Reply> {
    return this.#send('GET', path, '')
  }

  post(path: string, body: unknown): Promise<Reply> {
    return this.#send('POST', path, JSON.stringify(body))
  }

  delete(path: string): Promise<Reply> {
    return this.#send('DELETE', path, '')
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, body: string): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>()
    const breakOff = () => resolve({ type: 'broken' })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, response => {
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.on('error', breakOff)
      response.on('close', breakOff)
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString()
        resolve({ type: 'response', status: response.statusCode ?? 0, body: text })
      })
    })
    sent.on('error', breakOff)
    if (this.#timeoutMs !== undefined) sent.setTimeout(this.#timeoutMs, () => sent.destroy())
    sent.end(body)
    return promise
  }
}
