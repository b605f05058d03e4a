import { didYouMean } from '@throughline/protocol/internal'
import { type BucketOptions, bucketBytes, FileBytesError, probeBucket } from '@throughline/store'
import { CommandError } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { SettingError } from './setting-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

const setting = 'THROUGHLINE_FILES'
const example = 's3://bucket/prefix?region=eu-central-1'
const knownParameters = ['endpoint', 'region']

/**
 * Returns the bucket that `THROUGHLINE_FILES` names, with the credentials from the AWS_ variables; `undefined` when it is
 * not set. Throws a `SettingError`, which never repeats the value: somebody may have put a secret into it.
 */
export function bucketFromEnv(env: Environment): BucketOptions | undefined {
  const text = env[setting]?.trim()
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:') throw problem(`write it as ${example}.`)
  if (url.username !== '' || url.password !== '')
    throw problem('keys do not belong there. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  const bucket = bucketNameFrom(url.hostname)
  const prefix = prefixFrom(url.pathname)
  const { endpoint, region } = parametersFrom(url.searchParams)
  const asked = region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || undefined)
  if (asked === undefined && endpoint === undefined)
    throw problem(`name the region, as in ${example}, or set AWS_REGION.`)
  // Servers that are compatible with S3 take this one, unless they were told another.
  const used = asked ?? 'us-east-1'
  const address = addressOf(bucket, used, endpoint)
  return { bucket, prefix, url: address, region: used, ...credentialsFrom(env) }
}

function bucketNameFrom(name: string): string {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) return name
  throw problem('this is not the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens.')
}

function prefixFrom(path: string): string {
  const prefix = path.replace(/^\/+|\/+$/g, '')
  const isPlain = prefix.split('/').every(name => name === '' || /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name))
  if (isPlain && !prefix.includes('//')) return prefix
  throw problem('a prefix may have letters, digits, hyphens, underscores, dots and slashes only.')
}

function parametersFrom(query: URLSearchParams) {
  const unknown = [...query.keys()].find(name => !knownParameters.includes(name))
  if (unknown !== undefined)
    throw problem(`there is no parameter "${unknown}". ${didYouMean(unknown, knownParameters)}`)
  const region = query.get('region') || undefined
  if (region !== undefined && !/^[A-Za-z0-9-]+$/.test(region))
    throw problem('a region has letters, digits and hyphens only.')
  const endpoint = query.get('endpoint') || undefined
  return { region, endpoint: endpoint === undefined ? undefined : endpointFrom(endpoint) }
}

function endpointFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (url !== undefined && isPlain && ['http:', 'https:'].includes(url.protocol))
    return url.href.replace(/\/+$/, '')
  throw problem('the endpoint must be an address such as https://minio.example:9000, without keys in it.')
}

/** Without an endpoint it is a bucket of AWS. Its name is a part of the host, unless the certificate would not fit. */
function addressOf(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`
  const host = `s3.${region}.amazonaws.com`
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`
}

function credentialsFrom(env: Environment) {
  const accessKeyId = env['AWS_ACCESS_KEY_ID']?.trim()
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY']?.trim()
  if (!accessKeyId || !secretAccessKey)
    throw problem('set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the keys of the bucket.')
  return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN']?.trim() || undefined }
}

function problem(text: string): SettingError {
  return new SettingError(setting, text)
}

/** A bucket, as the store uses it. */
type Bucket = ReturnType<typeof bucketBytes>

/**
 * Returns the bucket of the files, after a look whether it can be used. Throws a `SettingError` when it refuses what we
 * need. A bucket that does not respond is only reported: chats work without it, and later it may respond.
 */
export async function openBucket(
  options: BucketOptions | undefined,
  report: (problem: string) => void,
): Promise<Bucket | undefined> {
  if (options === undefined) return undefined
  try {
    await probeBucket({ ...options, attemptMs: 5_000 })
  } catch (error) {
    if (!(error instanceof FileBytesError)) throw error
    if (error.code === 'refused') throw new SettingError('THROUGHLINE_FILES', error.message)
    report(`THROUGHLINE_FILES: ${error.message} Until it does, files can neither be saved nor read.`)
  }
  return bucketBytes(options)
}

/**
 * For commands that open the data of a server: returns the bucket of its files, if it has one. They may finish the removal
 * of chats, and must remove the files, too. Throws a `CommandError` when the setting is wrong.
 */
export function bucketOfServer(env: Shell['env']): Bucket | undefined {
  try {
    const options = bucketFromEnv(env)
    return options && bucketBytes(options)
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message) : error
  }
}
