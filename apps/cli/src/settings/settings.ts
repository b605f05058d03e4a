import { idRule, isOwnerId, type OwnerId } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import type { MetricsAddress } from '@throughline/server'
import type { BucketOptions, PostgresLocation } from '@throughline/store'
import { bucketFromEnv } from './bucket.ts'
import { SettingError } from './setting-error.ts'
import { readTokensFile, tokensFileSetting, tokensIn } from './tokens.ts'

/** The settings of the server, from the environment. */
export interface Settings {
  /** The address to listen on: `HOST`. Default: 127.0.0.1. */
  readonly host: string
  /** `PORT`. Default: 4000. */
  readonly port: number
  /** More host names of the server: `THROUGHLINE_HOSTS`. Default: none. */
  readonly hosts: readonly string[]
  /** Other origins whose pages may use the server: `THROUGHLINE_ORIGINS`. Default: none. */
  readonly origins: readonly string[]
  /** `THROUGHLINE_DATA`. Default: ./data. */
  readonly dataFolder: string
  /** The Postgres database: `DATABASE_URL` and `DATABASE_LISTEN_URL`. Default: SQLite in the data folder. */
  readonly postgres: PostgresLocation | undefined
  /** The bucket of the files: `THROUGHLINE_FILES`. Default: none. Then the files are with the other data. */
  readonly bucket: BucketOptions | undefined
  /** The owner that each token stands for: `THROUGHLINE_TOKENS` or the file. Default: no tokens, and one owner called `local`. */
  readonly tokens: ReadonlyMap<string, OwnerId>
  /** The file that the tokens are in: `THROUGHLINE_TOKENS_FILE`. It is read again when it changes. Default: none. */
  readonly tokensFile: string | undefined
  /** Who may see how the server is doing: `THROUGHLINE_OPERATORS`. Default: the only user, if there is only one. */
  readonly operators: readonly OwnerId[] | undefined
  /** `THROUGHLINE_LOG`. Default: info. */
  readonly logLevel: string
  /** `THROUGHLINE_LOG_FORMAT`. Default: auto, which is readable lines on a terminal and lines of JSON elsewhere. */
  readonly logFormat: LogFormat
  /** Where metrics are served: `THROUGHLINE_METRICS`. Default: nowhere. */
  readonly metricsAt: MetricsAddress | undefined
  /** How long requests are taken after the first signal: `THROUGHLINE_DRAIN_SECONDS`. Default: see `ThroughlineOptions`. */
  readonly drainMs: number | undefined
  /** How long responses then stay open that show one answer: `THROUGHLINE_FINISH_SECONDS`. Default: the same. */
  readonly finishMs: number | undefined
}

/** How the lines of the log look. */
export type LogFormat = (typeof logFormats)[number]

const logFormats = ['auto', 'pretty', 'json'] as const

/** All variables that begin with THROUGHLINE_, including those of other commands and packages. */
const knownVariables = [
  'THROUGHLINE_BROWSER_SANDBOX',
  'THROUGHLINE_DATA',
  'THROUGHLINE_DRAIN_SECONDS',
  'THROUGHLINE_FILES',
  'THROUGHLINE_FINISH_SECONDS',
  'THROUGHLINE_HOSTS',
  'THROUGHLINE_LOG',
  'THROUGHLINE_LOG_FORMAT',
  'THROUGHLINE_METRICS',
  'THROUGHLINE_MODEL',
  'THROUGHLINE_MODELS',
  'THROUGHLINE_OPERATORS',
  'THROUGHLINE_ORIGINS',
  'THROUGHLINE_OTHER_TOKEN',
  'THROUGHLINE_TOKEN',
  'THROUGHLINE_TOKEN_FILE',
  'THROUGHLINE_TOKENS',
  'THROUGHLINE_TOKENS_FILE',
  'THROUGHLINE_URL',
]

/** Reads the settings from the environment. Throws a `SettingError` when one of them is wrong or misspelled. */
export function settingsFromEnv(env: Readonly<Record<string, string | undefined>>): Settings {
  assertKnownVariables(env)
  return {
    host: env['HOST'] || '127.0.0.1',
    port: portFrom('PORT', env['PORT'] || '4000'),
    hosts: listFrom(env['THROUGHLINE_HOSTS']),
    origins: listFrom(env['THROUGHLINE_ORIGINS']),
    dataFolder: env['THROUGHLINE_DATA'] || './data',
    postgres: postgresFromEnv(env),
    bucket: bucketFromEnv(env),
    ...tokensFromEnv(env),
    operators: operatorsFrom(env['THROUGHLINE_OPERATORS']),
    logLevel: levelFrom(env['THROUGHLINE_LOG'] || 'info'),
    logFormat: logFormatFrom(env['THROUGHLINE_LOG_FORMAT'] || 'auto'),
    metricsAt: metricsAddress(env['THROUGHLINE_METRICS'] || 'off'),
    drainMs: secondsFrom('THROUGHLINE_DRAIN_SECONDS', env),
    finishMs: secondsFrom('THROUGHLINE_FINISH_SECONDS', env),
  }
}

// A misspelled THROUGHLINE_TOKENS would leave the server open to everybody.
function assertKnownVariables(env: Readonly<Record<string, string | undefined>>): void {
  const unknown = Object.keys(env).find(
    name => name.startsWith('THROUGHLINE_') && !knownVariables.includes(name),
  )
  if (unknown === undefined) return
  throw new SettingError(unknown, `there is no such setting. ${didYouMean(unknown, knownVariables)}`)
}

/** Returns where the Postgres database is, if there is one. No message contains a URL: it has a password in it. */
export function postgresFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): PostgresLocation | undefined {
  const url = env['DATABASE_URL']
  const listenUrl = env['DATABASE_LISTEN_URL']
  if (listenUrl) assertPostgresUrl('DATABASE_LISTEN_URL', listenUrl)
  if (!url) {
    if (!listenUrl) return undefined
    throw new SettingError('DATABASE_LISTEN_URL', 'it needs DATABASE_URL. Set both, or none.')
  }
  assertPostgresUrl('DATABASE_URL', url)
  return { url, listenUrl: listenUrl || undefined }
}

function assertPostgresUrl(setting: string, text: string): void {
  const form = 'Write it as postgres://user:password@host:5432/database.'
  if (!URL.canParse(text))
    throw new SettingError(
      setting,
      `it is not a URL. ${form} In the password, write special characters as %23 and so on.`,
    )
  const { protocol, hostname } = new URL(text)
  if (protocol !== 'postgres:' && protocol !== 'postgresql:')
    throw new SettingError(
      setting,
      `"${protocol}//" is not Postgres. ${form} Without it, the data is in SQLite.`,
    )
  if (hostname === '') throw new SettingError(setting, `it names no host. ${form}`)
}

function portFrom(setting: string, text: string): number {
  const port = Number(text)
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new SettingError(setting, `"${text}" is not a port. Use a whole number from 0 to 65535.`)
}

/** Returns a time in milliseconds; `undefined` when the setting is not there. */
function secondsFrom(
  setting: string,
  { [setting]: text }: Readonly<Record<string, string | undefined>>,
): number | undefined {
  if (!text) return undefined
  const seconds = Number(text)
  if (seconds >= 0 && seconds <= 600) return seconds * 1_000
  throw new SettingError(setting, `"${text}" is not a time. Use a number of seconds from 0 to 600.`)
}

// Only this machine can reach them, unless an address is named as well.
function metricsAddress(text: string): MetricsAddress | undefined {
  if (text === 'off') return undefined
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?([^:]*)$/.exec(text) ?? []
  // An address of IPv6 is in brackets, as in a URL.
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: portFrom('THROUGHLINE_METRICS', port) }
}

function tokensFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): Pick<Settings, 'tokens' | 'tokensFile'> {
  const tokensFile = env[tokensFileSetting] || undefined
  if (tokensFile === undefined) return { tokens: tokensIn(env['THROUGHLINE_TOKENS']), tokensFile }
  if (env['THROUGHLINE_TOKENS'])
    throw new SettingError(tokensFileSetting, 'THROUGHLINE_TOKENS is set, too. Set one of them.')
  const tokens = readTokensFile(tokensFile)
  if (tokens.size > 0) return { tokens, tokensFile }
  throw new SettingError(tokensFileSetting, `${tokensFile} has no token. Write a line such as user:token.`)
}

function operatorsFrom(text: string | undefined): readonly OwnerId[] | undefined {
  const names = listFrom(text)
  const operators = names.filter(isOwnerId)
  if (operators.length < names.length)
    throw new SettingError('THROUGHLINE_OPERATORS', `a user name is not allowed. ${idRule}.`)
  return operators.length === 0 ? undefined : operators
}

function levelFrom(text: string): string {
  const levels = ['debug', 'info', 'warn', 'error', 'silent']
  if (levels.includes(text)) return text
  throw new SettingError('THROUGHLINE_LOG', `"${text}" is no level. Use one of ${levels.join(', ')}.`)
}

function logFormatFrom(text: string): LogFormat {
  const format = logFormats.find(each => each === text)
  if (format !== undefined) return format
  throw new SettingError(
    'THROUGHLINE_LOG_FORMAT',
    `"${text}" is no format. Use one of ${logFormats.join(', ')}.`,
  )
}

function listFrom(text = ''): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}
