import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BucketOptions } from '@throughline/store'
import { type S3Credentials, wrongSignature } from './s3-signature.ts'

/** What happens to one request. */
export type S3Fault =
  | { readonly type: 'none' }
  /** The response is an error, and nothing is done. */
  | { readonly type: 'error'; readonly status: number; readonly code: string }
  /** The connection breaks before anything is done. */
  | { readonly type: 'reset' }
  /** The request is done, and the connection breaks before the response. */
  | { readonly type: 'lost-response' }
  /** The connection breaks in the middle of the response. */
  | { readonly type: 'cut-response' }
  /** There is no response at all. */
  | { readonly type: 'silence' }

/** A bucket that behaves like one of S3. */
export interface S3Server extends AsyncDisposable {
  /** How the bucket is reached, without waits between attempts. */
  readonly options: BucketOptions
  /** The address of the server, without the bucket. */
  readonly endpoint: string
  readonly objects: ReadonlyMap<string, Buffer>
  /** The method and the key of each request so far, also of those that failed. */
  readonly requests: readonly string[]
  /** Says what happens to the next requests, in order. All later ones succeed. */
  fail(...faults: readonly S3Fault[]): void
  /** While it is down, it breaks every connection. */
  setDown(isDown: boolean): void
}

export interface S3ServerOptions {
  /** How many keys one page of a list has at most. Default: 1,000, as in S3. */
  readonly pageSize?: number
  /** Default: none. */
  readonly sessionToken?: string
}

const bucket = 'test-bucket'

/** Starts an S3-compatible server with one empty bucket, on a free port. It checks the signature of every request. */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const local = new LocalBucket(options)
  const server = createServer((request, response) => {
    // It fails only when the other side has left, which tests do on purpose: there is nobody to tell.
    local.handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The bucket has no port.')
  const endpoint = `http://127.0.0.1:${address.port}`
  const { objects, requests, credentials } = local
  return {
    options: { ...credentials, bucket, prefix: 'files', url: `${endpoint}/${bucket}`, retryMs: 1 },
    endpoint,
    objects,
    requests,
    fail: (...faults) => void local.faults.push(...faults),
    setDown(isDown) {
      local.isDown = isDown
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class LocalBucket {
  readonly objects = new Map<string, Buffer>()
  readonly requests: string[] = []
  readonly faults: S3Fault[] = []
  readonly credentials: S3Credentials
  isDown = false
  readonly #pageSize: number

  constructor({ pageSize = 1_000, sessionToken }: S3ServerOptions) {
    this.#pageSize = pageSize
    this.credentials = {
      region: 'test-region-1',
      accessKeyId: 'TESTKEYID',
      secretAccessKey: 'not-a-secret/but+as+odd+as+one',
      sessionToken,
    }
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const [, name, ...rest] = pathname.split('/')
    const key = rest.map(decodeURIComponent).join('/')
    const method = key === '' ? 'LIST' : String(request.method)
    this.requests.push(key === '' ? `LIST ${searchParams.get('prefix')}` : `${method} ${key}`)
    if (this.isDown) return void request.socket.resetAndDestroy()
    const fault = this.faults.shift()
    if (fault?.type === 'reset') return void request.socket.resetAndDestroy()
    const body = await buffer(request)
    if (fault?.type === 'silence') return
    if (fault?.type === 'error') return refuse(response, fault.status, fault.code)
    const wrong = wrongSignature(request, body, this.credentials)
    if (wrong !== undefined) return refuse(response, 403, wrong)
    if (name !== bucket) return refuse(response, 404, 'NoSuchBucket')
    if (fault?.type === 'cut-response') return cut(response, this.objects.get(key) ?? Buffer.from('half'))
    if (fault?.type === 'lost-response') this.#perform(method, { key, body })
    if (fault?.type === 'lost-response') return void request.socket.resetAndDestroy()
    if (method === 'LIST') return respond(response, 200, this.#list(searchParams))
    const { status, content } = this.#perform(method, { key, body })
    if (status === 404) return refuse(response, 404, 'NoSuchKey')
    respond(response, status, content)
  }

  #perform(
    method: string,
    { key, body }: { readonly key: string; readonly body: Buffer },
  ): { readonly status: number; readonly content: Buffer | string } {
    const object = this.objects.get(key)
    if (method === 'PUT') this.objects.set(key, body)
    // S3 responds with 204 to a delete of a key that does not exist, too.
    if (method === 'DELETE') this.objects.delete(key)
    if (method === 'GET') return { status: object === undefined ? 404 : 200, content: object ?? '' }
    return { status: method === 'DELETE' ? 204 : 200, content: '' }
  }

  #list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const keys = [...this.objects.keys()].filter(key => key.startsWith(prefix)).toSorted()
    const page = keys.slice(0, this.#pageSize)
    const contents = page.map(key => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')
    const isTruncated = page.length < keys.length
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${bucket}</Name><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`
  }
}

function respond(response: ServerResponse, status: number, content: Buffer | string): void {
  response.writeHead(status, status === 204 ? {} : { 'content-length': Buffer.byteLength(content) })
  response.end(status === 204 ? undefined : content)
}

function refuse(response: ServerResponse, status: number, code: string): void {
  respond(response, status, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`)
}

/** Sends half of the content, and breaks the connection. */
function cut(response: ServerResponse, content: Buffer): void {
  response.writeHead(200, { 'content-length': content.byteLength })
  response.write(content.subarray(0, content.byteLength / 2), () => response.socket?.resetAndDestroy())
}
