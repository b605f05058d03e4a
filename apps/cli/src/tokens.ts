import { readFileSync } from 'node:fs'
import { idRule, isOwnerId, type OwnerId } from '@throughline/protocol'
import { SettingError } from './setting-error.ts'

/** A token and whose it is, as it is written, and where that is. */
interface Written {
  readonly where: string
  readonly pair: string
}

/** Reads the tokens in `THROUGHLINE_TOKENS`: `user:token,…`. Throws a `SettingError` when one of them cannot be used. */
export function tokensIn(text = ''): ReadonlyMap<string, OwnerId> {
  const pairs = text.split(',').map(each => each.trim())
  return tokensOf(
    'THROUGHLINE_TOKENS',
    pairs.filter(pair => pair !== '').map(pair => ({ where: '', pair })),
  )
}

/**
 * Reads a file with one `user:token` in a line. Empty lines, and lines that begin with `#`, are left out. Throws a
 * `SettingError` that names the line which cannot be used. No message contains a token.
 */
export function readTokensFile(path: string): ReadonlyMap<string, OwnerId> {
  const lines = textOf(path)
    .replace(/^\uFEFF/, '')
    .split('\n')
  const written = lines.map((line, index) => ({ where: `line ${index + 1} of ${path}: `, pair: line.trim() }))
  return tokensOf(
    tokensFileSetting,
    written.filter(({ pair }) => pair !== '' && !pair.startsWith('#')),
  )
}

/** The setting that names the file with the tokens. */
export const tokensFileSetting = 'THROUGHLINE_TOKENS_FILE'

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingError(tokensFileSetting, `the file cannot be read (${reason}). Name a file that can be.`)
  }
}

function tokensOf(setting: string, written: readonly Written[]): ReadonlyMap<string, OwnerId> {
  const tokens = new Map<string, OwnerId>()
  for (const { where, pair } of written) {
    const [user = '', ...rest] = pair.split(':')
    const token = rest.join(':')
    if (!isOwnerId(user)) throw new SettingError(setting, `${where}a user name is not allowed. ${idRule}.`)
    if (token.length < 16) {
      const problem = `the token of "${user}" is too short to be safe. Use at least 16 characters.`
      throw new SettingError(setting, where + problem)
    }
    if (/\s/.test(token)) {
      const problem = `the token of "${user}" has a space in it. No client could send it.`
      throw new SettingError(setting, where + problem)
    }
    if (tokens.has(token)) {
      const problem = 'one token is there twice. Give every user a token of their own.'
      throw new SettingError(setting, where + problem)
    }
    tokens.set(token, user)
  }
  return tokens
}
