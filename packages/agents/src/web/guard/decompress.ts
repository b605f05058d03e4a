import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { WebAccessError } from './web-access-error.ts'

/**
 * Returns the body without its content encoding (gzip, deflate or br). Stops at `maxBytes`, so that a small body cannot
 * fill the memory. Throws a `WebAccessError`: `too-large` over the limit, `unsupported-type` for another encoding, and
 * `network` for damaged data.
 */
export async function decompress(
  body: Buffer,
  { encoding = '', maxBytes }: { readonly encoding: string | undefined; readonly maxBytes: number },
): Promise<Buffer> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity' || body.length === 0) return body
  const undo = decoders.get(name)
  if (undo === undefined) {
    throw new WebAccessError('unsupported-type', 'The page is compressed in a form that cannot be read.')
  }
  try {
    return await undo(body, { maxOutputLength: maxBytes })
  } catch (error) {
    throw failureOf(error, maxBytes)
  }
}

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)
const brotliAsync = promisify(brotliDecompress)

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', (body, options) => gunzipAsync(body, options)],
  ['x-gzip', (body, options) => gunzipAsync(body, options)],
  ['br', (body, options) => brotliAsync(body, options)],
  // "deflate" stands for the zlib format, but some servers leave out the zlib header. The low four bits of a header
  // are always 8.
  [
    'deflate',
    (body, options) =>
      ((body[0] ?? 0) & 0x0f) === 8 ? inflateAsync(body, options) : inflateRawAsync(body, options),
  ],
])

function failureOf(error: unknown, maxBytes: number): WebAccessError {
  const isLimit = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
  if (isLimit) return new WebAccessError('too-large', `The page is larger than ${maxBytes} bytes.`)
  return new WebAccessError('network', 'The page arrived damaged: it could not be decompressed.')
}
