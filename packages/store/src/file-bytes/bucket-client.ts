import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { defined } from '@throughline/protocol/internal'
import { AwsClient } from 'aws4fetch'
import { FileBytesError } from './file-bytes.ts'

/** How a bucket is reached. */
export interface BucketOptions {
  readonly bucket: string
  /** What the keys of all files begin with, without a slash at its ends. May be empty. */
  readonly prefix: string
  /** The address of the bucket: keys come after it. Has no slash at its end. */
  readonly url: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** How long one attempt may take, in milliseconds. Default: 20,000. */
  readonly attemptMs?: number
  /** How long to wait before the second attempt, in milliseconds. It doubles with each one. Default: 200. */
  readonly retryMs?: number
}

/** A request to a bucket. */
export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  /** Empty for the bucket itself. Letters, digits and `-_.~/` only. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

/** The response of a bucket, read to its end. `undefined` when there is no such object. */
export type BucketResponse = Uint8Array<ArrayBuffer> | undefined

/** Sends a request. Throws a `FileBytesError`. */
export type SendToBucket = (request: BucketRequest) => Promise<BucketResponse>

const attempts = 4

/**
 * Returns a function that sends signed requests to an S3-compatible bucket. All requests are idempotent. So a request
 * that got no response, or that the bucket could not take right now, is sent again: 4 times in all.
 */
export function bucketClient(options: BucketOptions): SendToBucket {
  const { region, accessKeyId, secretAccessKey, sessionToken, attemptMs = 20_000, retryMs = 200 } = options
  const signer = new AwsClient({
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
    ...defined({ sessionToken }),
  })

  async function attempt({ method, key, query = {}, body }: BucketRequest): Promise<Outcome> {
    const search = new URLSearchParams(query).toString()
    const address = `${options.url}${key === '' ? '' : `/${key}`}${search === '' ? '' : `?${search}`}`
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signed = await signer.sign(address, {
      method,
      // The bucket compares the bytes that it got with this hash.
      headers: { 'x-amz-content-sha256': hash },
      body: body ?? null,
    })
    // A redirect means that the region or the endpoint is wrong. The signature would not be valid elsewhere.
    const response = await fetch(signed, { redirect: 'manual', signal: AbortSignal.timeout(attemptMs) })
    return outcomeOf(response, { mayBeAbsent: key !== '' && method !== 'PUT' })
  }

  return async request => {
    let reason = ''
    for (let count = 0; count < attempts; count += 1) {
      if (count > 0) await setTimeout(retryMs * 2 ** (count - 1))
      const outcome = await attempt(request).catch(lostConnection)
      if (outcome.type === 'done') return outcome.bytes
      if (outcome.type === 'refused') throw new FileBytesError('refused', refusal(options, request, outcome))
      reason = outcome.reason
    }
    throw new FileBytesError('unreachable', `${nameOf(options)} does not respond: ${reason}.`)
  }
}

type Outcome =
  | { readonly type: 'done'; readonly bytes: BucketResponse }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string }

async function outcomeOf(
  response: Response,
  { mayBeAbsent }: { readonly mayBeAbsent: boolean },
): Promise<Outcome> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const { status } = response
  if (response.ok) return { type: 'done', bytes }
  // The error is XML. Its code is a word, such as SlowDown.
  const code = /<Code>(\w+)<\/Code>/.exec(Buffer.from(bytes.subarray(0, 4_096)).toString())?.[1]
  // A bucket that does not exist is a 404, too.
  if (status === 404 && mayBeAbsent && code !== 'NoSuchBucket') return { type: 'done', bytes: undefined }
  const reason = code === undefined ? `HTTP ${status}` : `HTTP ${status} ${code}`
  const isTemporary = status >= 500 || status === 429 || status === 408 || code === 'RequestTimeout'
  return { type: isTemporary ? 'retry' : 'refused', reason }
}

/** The connection was refused or cut, or the attempt took too long. */
function lostConnection(error: unknown): Outcome {
  if (!(error instanceof Error)) throw error
  const { cause } = error
  const reason =
    cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : error.message
  return { type: 'retry', reason: reason.replace(/\.$/, '') }
}

function refusal(
  options: BucketOptions,
  { method, key }: BucketRequest,
  { reason }: { readonly reason: string },
): string {
  const what = method === 'GET' && key === '' ? 'LIST' : method
  return `${nameOf(options)} refuses a ${what} request (${reason}). Check the endpoint, the region, and the rights of the key: it must be allowed to list, read, write and delete.`
}

function nameOf({ bucket, url }: BucketOptions): string {
  return `The bucket ${bucket} (${new URL(url).host})`
}
