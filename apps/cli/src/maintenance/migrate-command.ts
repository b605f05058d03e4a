import {
  FileBytesError,
  type MovedStore,
  MoveError,
  type MoveProgress,
  moveStore,
  SqlError,
} from '@throughline/store'
import { bucketOfServer } from '../settings/bucket.ts'
import { CommandError, readOptions } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { bytesText } from '../text/units.ts'

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

/** Returns in words what was done. */
function progressText(step: MoveProgress): string {
  switch (step.type) {
    case 'restarted':
      return 'An earlier attempt was cut off. What it had written was deleted. This one begins anew.'
    case 'copied':
      return `copied    ${step.table}: ${count(step.rows)}`
    case 'compared':
      return `compared  ${step.table}: ${count(step.rows)}`
    case 'files-copied':
      return 'copied    the contents of files'
  }
}

/** Returns what was moved, for the operator. */
function reportText(
  { tables, files }: MovedStore,
  {
    folder,
    place,
    files: location,
  }: { readonly folder: string; readonly place: string; readonly files: string },
): string {
  const width = Math.max(...tables.map(({ name }) => name.length))
  const rows = tables.map(({ name, rows, checksum }) => {
    return `  ${name.padEnd(width)}  ${count(rows).padStart(13)}  sha256 ${checksum.slice(0, 16)}`
  })
  return [
    '',
    'Rows on both sides, compared one by one:',
    ...rows,
    `Files: ${count(files.files)}, ${bytesText(files.bytes)}, compared byte by byte. They are in ${location}.`,
    ...missingText(files.missing),
    '',
    `Done: everything in ${folder} is in ${place}. Set DATABASE_URL, and start the server.`,
    `The data in ${folder} was not changed. Keep it as a backup, and start no server on it any more.`,
  ].join('\n')
}

function missingText(missing: readonly string[]): readonly string[] {
  if (missing.length === 0) return []
  return [`Files whose contents were missing before: ${missing.join(', ')}`]
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
