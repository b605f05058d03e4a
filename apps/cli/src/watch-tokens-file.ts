import { stat } from 'node:fs/promises'
import type { OwnerId } from '@throughline/protocol'
import type { ThroughlineOptions } from '@throughline/server'
import { SettingError } from './setting-error.ts'
import { readTokensFile } from './tokens.ts'

/** How often the file is looked at, in milliseconds. */
const pollMs = 1_000

interface WatchOptions {
  /** Gets a sentence for each change that was read, and a warning for each that could not be. */
  readonly logger: NonNullable<ThroughlineOptions['logger']>
  /** Gets the tokens of each change that was read. */
  readonly onChange: (tokens: ReadonlyMap<string, OwnerId>) => void
}

/** The tokens in a file, as it is now. */
export interface WatchedTokens extends Disposable {
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
