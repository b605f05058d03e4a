import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { renewStore, SqlError } from '@throughline/store'
import { SettingError } from '../settings/setting-error.ts'
import { postgresFromEnv } from '../settings/settings.ts'
import { CommandError, readOptions } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'

/**
 * Makes all positions of the logs new, after data was restored in a way that leaves no trace. Throws a `CommandError` when
 * that is not possible.
 */
export async function renewCommand(words: readonly string[], { env, output }: Shell): Promise<number> {
  const { values, positionals } = readOptions('renew', words, { data: { type: 'string' } })
  if (positionals.length > 0)
    throw new CommandError('Name the folder with --data FOLDER. See "throughline help renew".')
  const postgres = values.data === undefined ? postgresOf(env) : undefined
  const folder = values.data ?? (env['THROUGHLINE_DATA'] || './data')
  if (postgres === undefined && !existsSync(join(folder, 'throughline.sqlite')))
    throw new CommandError(
      `There is no data in ${folder}. Name the folder with --data, or with THROUGHLINE_DATA.`,
    )
  const place = postgres === undefined ? folder : 'the Postgres database'
  try {
    const count = await renewStore({ folder, postgres })
    output.write(
      `The logs in ${place} have new positions: ${count.toLocaleString('en-US')}. Viewers load their chats again.\n`,
    )
    return 0
  } catch (error) {
    throw error instanceof SqlError ? refusal(place, error) : error
  }
}

function postgresOf(env: Shell['env']) {
  try {
    return postgresFromEnv(env)
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message) : error
  }
}

function refusal(place: string, { code, message }: SqlError): CommandError {
  if (code !== 'in-use') return new CommandError(message)
  return new CommandError(`A process uses the data in ${place}. Stop it first. ${message}`)
}
