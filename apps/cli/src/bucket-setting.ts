import { didYouMean } from '@throughline/protocol/internal'
import type { BucketOptions } from '@throughline/store'
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
