import { FileBytesError, MoveError, moveStore, SqlError } from '@throughline/store'
import { CommandError } from '../command-error.ts'
import { bucketOfServer } from '../open-bucket.ts'
import { readOptions } from '../options.ts'
import type { Shell } from '../shell.ts'
import { progressText, reportText } from './move-text.ts'

/**
 * Moves the data of a server that does not run from its folder to a Postgres database, and prints a report. Throws a
 * `CommandError` when that is not possible.
 */
export async function migrateCommand(words: readonly string[], { env, output }: Shell): Promise<number> {
  const { values, positionals } = readOptions('migrate', words, {
    to: { type: 'string' },
    data: { type: 'string' },
  })
  if (positionals.length > 0)
    throw new CommandError('Name the database with --to URL. See "throughline help migrate".')
  const folder = values.data ?? (env['THROUGHLINE_DATA'] || './data')
  const url = values.to ?? env['DATABASE_URL'] ?? ''
  const place = placeOf(url)
  const bucket = bucketOfServer(env)
  output.write(`Moving the data in ${folder} to ${place}. The folder is only read.\n`)
  try {
    const moved = await moveStore({
      folder,
      url,
      bucket,
      onProgress: step => void output.write(`${progressText(step)}\n`),
    })
    output.write(`${reportText(moved, { folder, place, files: bucket?.location ?? 'the database' })}\n`)
    return 0
  } catch (error) {
    throw refusal(folder, error)
  }
}

/** Returns the name of a database for people: without the user and the password. */
function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !['postgres:', 'postgresql:'].includes(parsed.protocol))
    throw new CommandError(
      'Name the database with --to postgres://user:password@host/database, or in DATABASE_URL. See "throughline help migrate".',
    )
  return `${parsed.host || 'localhost'}${parsed.pathname}`
}

function refusal(folder: string, error: unknown): unknown {
  if (error instanceof SqlError && error.code === 'in-use')
    return new CommandError(
      `A server is running on the data in ${folder}. Stop it first: only one process can open the data.`,
    )
  const isOurs = [MoveError, SqlError, FileBytesError].some(type => error instanceof type)
  return isOurs && error instanceof Error ? new CommandError(error.message) : error
}
