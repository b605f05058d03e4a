import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { idRule, isOwnerId, type OwnerId } from '@throughline/protocol'
import type { ThroughlineOptions } from '@throughline/server'
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

/** How often the file is looked at, in milliseconds. */
const pollMs = 1_000

interface WatchOptions {
  /** Gets a sentence for each change that was read, and a warning for each that could not be. */
  readonly logger: NonNullable<ThroughlineOptions['logger']>
  /** Gets the tokens of each change that was read. */
  readonly onChange: (tokens: ReadonlyMap<string, OwnerId>) => void
}

/** The tokens in a file, as it is now. */
interface WatchedTokens extends Disposable {
  readonly current: () => ReadonlyMap<string, OwnerId>
}

/**
 * Reads a file with tokens, and reads it again whenever it has changed. Looks at it once a second, because notifications
 * of the system do not work on every kind of volume. A file that changed less than a second ago may be half written, so
 * it is read at the next look.
 *
 * A file that cannot be read, or has a wrong line, changes nothing: otherwise a slip of the hand would sign everybody
 * out. A file without tokens lets nobody in. Throws a `SettingError` when it cannot be used at the start.
 */
export async function watchTokensFile(
  path: string,
  { logger, onChange }: WatchOptions,
): Promise<WatchedTokens> {
  let read = await stateOf(path)
  let tokens = readTokensFile(path)
  let before = read
  let isLooking = false

  async function look(): Promise<void> {
    const now = await stateOf(path)
    const isSettled = now === before
    before = now
    if (now === read || !isSettled) return
    read = now
    try {
      tokens = readTokensFile(path)
      onChange(tokens)
      logger.info(`The file with the tokens has changed: it has ${tokens.size} now.`)
    } catch (error) {
      const reason = error instanceof SettingError ? error.message : String(error)
      logger.warn(`${reason} The tokens that were known before are valid until the file can be used.`)
    }
  }

  const timer = setInterval(async () => {
    if (isLooking) return
    isLooking = true
    await look()
    isLooking = false
  }, pollMs)
  timer.unref()
  return { current: () => tokens, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Returns a text that is another one after each change of the file, or when another file takes its place. */
async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [ino, size, mtimeMs, ctimeMs].join('/')
  } catch {
    // Reading it says why.
    return 'unreadable'
  }
}
