import { hideSecrets } from '../errors/hide-secrets.ts'
import { ServiceErrors } from './service-errors.ts'

/** A service that exists already, and how to talk to it. */
export interface RemoteService {
  /** The name of the agent that stands for it. */
  readonly name: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** More fields of the request's body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly maxSilenceMs: number
  readonly reconnectMs: number
  readonly errors: ServiceErrors
}

/** The options of a service. See `RemoteAgentOptions`. */
export interface RemoteServiceOptions {
  readonly name: string
  readonly displayName: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Readonly<Record<string, unknown>> | undefined
  readonly maxSilenceMs?: number | undefined
  readonly reconnectMs?: number | undefined
}

/** Checks the options. Throws a `TypeError` that names the agent and the option, but no value: it may be a secret. */
export function remoteService(options: RemoteServiceOptions): RemoteService {
  const { name, displayName } = options
  const { headers = {}, body = {}, maxSilenceMs = 120_000, reconnectMs = 15_000 } = options
  const refuse = (problem: string): never => {
    throw new TypeError(`remoteAgent "${name}": ${problem}`)
  }
  const url = URL.parse(options.url)
  if (url === null || !/^https?:$/.test(url.protocol))
    return refuse('url must begin with http:// or https://.')
  if (url.username !== '' || url.password !== '')
    refuse('url has a user name or a password in it. Send them in headers.')
  for (const [header, value] of Object.entries(headers))
    if (!isHeader(header, value)) refuse(`headers: "${header}" is not a header with a text as its value.`)
  if (!(maxSilenceMs > 0 && maxSilenceMs <= 300_000)) refuse('maxSilenceMs must be from 1 to 300000.')
  if (!(reconnectMs >= 0)) refuse('reconnectMs must be 0 or more.')
  // Not only `Bearer abc` is a secret, `abc` alone is one too.
  const secrets = Object.values(headers).flatMap(value => [value, ...value.split(/\s+/).slice(1)])
  const errors = new ServiceErrors(displayName, hideSecrets(secrets))
  return { name, url, headers, body, maxSilenceMs, reconnectMs, errors }
}

function isHeader(name: string, value: unknown): boolean {
  try {
    new Headers().set(name, typeof value === 'string' ? value : '\n')
    return typeof value === 'string'
  } catch {
    return false
  }
}
