import { idRule, isOwnerId, type OwnerId } from '@throughline/protocol/ids'

export interface Settings {
  readonly host: string
  readonly port: number
  readonly hosts: readonly string[]
  readonly dataFolder: string
  readonly tokens: ReadonlyMap<string, OwnerId>
  readonly logLevel: string
}

export class SettingError extends Error {
  override readonly name = 'SettingError'
  readonly setting: string

  constructor(setting: string, message: string) {
    super(`${setting}: ${message}`)
    this.setting = setting
  }
}

/** Reads the environment; whatever is wrong in it is said before anything starts. */
export function settingsFromEnv(env: Readonly<Record<string, string | undefined>>): Settings {
  return {
    host: env['HOST'] || '127.0.0.1',
    port: portFrom(env['PORT'] || '4000'),
    hosts: listFrom(env['THROUGHLINE_HOSTS']),
    dataFolder: env['THROUGHLINE_DATA'] || './data',
    tokens: new Map(listFrom(env['THROUGHLINE_TOKENS']).map(tokenFrom)),
    logLevel: levelFrom(env['THROUGHLINE_LOG'] || 'info'),
  }
}

function portFrom(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new SettingError('PORT', `"${text}" is not a port. Use a whole number from 0 to 65535.`)
}

function tokenFrom(pair: string): [string, OwnerId] {
  const [user = '', ...rest] = pair.split(':')
  const token = rest.join(':')
  if (!isOwnerId(user)) throw new SettingError('THROUGHLINE_TOKENS', `a user name is not allowed. ${idRule}.`)
  if (token.length < 16) {
    throw new SettingError(
      'THROUGHLINE_TOKENS',
      `the token of "${user}" is too short to be safe. Use at least 16 characters.`,
    )
  }
  return [token, user]
}

function levelFrom(text: string): string {
  const levels = ['debug', 'info', 'warn', 'error', 'silent']
  if (levels.includes(text)) return text
  throw new SettingError('THROUGHLINE_LOG', `"${text}" is no level. Use one of ${levels.join(', ')}.`)
}

function listFrom(text = ''): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}
