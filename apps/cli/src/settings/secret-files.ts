import { readFileSync } from 'node:fs'
import { knownKeys } from '@throughline/agents/internal'
import { SettingError } from './setting-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The variables whose value may be in a file, which `NAME_FILE` names. Docker and systemd put secrets into files.
 * `THROUGHLINE_TOKENS_FILE` is not here: that file has a form of its own, and is read again when it changes.
 */
const secretNames = [
  'DATABASE_URL',
  'DATABASE_LISTEN_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'TELEGRAM_BOT_TOKEN',
  'THROUGHLINE_TOKEN',
  ...knownKeys({}).map(({ name }) => name),
]

/**
 * Returns the environment with the secrets that are in files, and without the variables that name the files. Throws a
 * `SettingError` when a file cannot be read, is empty, or the variable itself is set, too.
 */
export function withSecretFiles(env: Environment): Environment {
  const rest = { ...env }
  for (const name of secretNames) {
    const path = rest[`${name}_FILE`]
    delete rest[`${name}_FILE`]
    if (!path) continue
    if (rest[name]) throw new SettingError(`${name}_FILE`, `${name} is set, too. Set one of them.`)
    rest[name] = secretIn(path, `${name}_FILE`)
  }
  return rest
}

function secretIn(path: string, setting: string): string {
  const text = textOf(path, setting).trim()
  if (text === '') throw new SettingError(setting, `${path} is empty. Write the secret into it.`)
  if (text.includes('\n'))
    throw new SettingError(setting, `${path} has more than one line. Write nothing but the secret into it.`)
  return text
}

function textOf(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new SettingError(setting, `the file cannot be read (${reason}). Name a file that can be.`)
  }
}
