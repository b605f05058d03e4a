import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Who may use a bucket. */
export interface S3Credentials {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

const maxSkewMs = 15 * 60_000

/**
 * Checks the AWS Signature Version 4 of a request to S3. Written from the specification, not from the signer that is
 * tested. Returns the code of the error that S3 responds with, or `undefined` when the signature is right.
 */
export function wrongSignature(
  request: IncomingMessage,
  body: Buffer,
  credentials: S3Credentials,
): string | undefined {
  const { headers } = request
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (parsed === null) return 'AccessDenied'
  const [, keyId = '', day = '', region = '', signedHeaders = '', signature = ''] = parsed
  const date = String(headers['x-amz-date'])
  const bodyHash = String(headers['x-amz-content-sha256'])
  if (keyId !== credentials.accessKeyId) return 'InvalidAccessKeyId'
  if (region !== credentials.region) return 'AuthorizationHeaderMalformed'
  if (headers['x-amz-security-token'] !== credentials.sessionToken) return 'InvalidToken'
  if (!date.startsWith(day) || Math.abs(timeOf(date) - Date.now()) > maxSkewMs) return 'RequestTimeTooSkewed'
  if (bodyHash !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const names = signedHeaders.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every(name => names.includes(name)))
    return 'AccessDenied'
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const canonical = [
    request.method,
    path,
    search.split('&').filter(Boolean).toSorted().join('&'),
    ...names.map(name => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    bodyHash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (secret, text) => createHmac('sha256', secret).update(text).digest(),
    `AWS4${credentials.secretAccessKey}`,
  )
  const expected = createHmac('sha256', key).update(toSign).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch'
}

/** Returns the time of a date such as 20260102T030405Z. */
function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex')
}
