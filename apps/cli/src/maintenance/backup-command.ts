import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { BackupError, backUpStopped, SqlError, type StoreBackup } from '@throughline/store'
import { CommandError, readOptions } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { bytesText } from '../text/units.ts'
import { type BackupReply, backupSocketPath } from './backup-socket.ts'

/**
 * Makes a backup of a data folder, while its server runs or not, and prints what it holds. Throws a `CommandError` when
 * that is not possible; then no backup is left.
 */
export async function backupCommand(words: readonly string[], { env, output }: Shell): Promise<number> {
  const { values, positionals } = readOptions('backup', words, { data: { type: 'string' } })
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0)
    throw new CommandError('Name the new folder of the backup. See "throughline help backup".')
  if (values.data === undefined && env['DATABASE_URL'])
    throw new CommandError(
      'DATABASE_URL is set, so the data is in Postgres. Back it up with the tools of Postgres: pg_dump --format=custom --file=throughline.dump "$DATABASE_URL". If THROUGHLINE_FILES is set, the files are in that bucket: use its own versions or replication. For a SQLite database, name its folder with --data.',
    )
  const folder = values.data ?? (env['THROUGHLINE_DATA'] || './data')
  if (!existsSync(join(folder, 'throughline.sqlite')))
    throw new CommandError(
      `There is no data in ${folder}. Name the folder with --data, or with THROUGHLINE_DATA.`,
    )
  const reply = (await fromServer(folder, resolve(name))) ?? {
    type: 'done',
    ...(await fromFolder(folder, resolve(name))),
    hasBucket: Boolean(env['THROUGHLINE_FILES']?.trim()),
  }
  if (reply.type === 'failed') throw new CommandError(reply.message)
  const { databaseBytes, fileCount, fileBytes, hasBucket } = reply
  output.write(
    `${folder} is backed up in ${name}: database ${bytesText(databaseBytes)}, ${fileCount.toLocaleString('en-US')} files ${bytesText(fileBytes)}.\n`,
  )
  if (hasBucket)
    output.write(
      'The files in the bucket of THROUGHLINE_FILES are not in it. Use the versions or the replication of the bucket, or copy the bucket now.\n',
    )
  return 0
}

async function fromServer(folder: string, target: string): Promise<BackupReply | undefined> {
  try {
    return await askServer(folder, target)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`The server ended before the backup was complete (${reason}). Try again.`)
  }
}

async function fromFolder(folder: string, target: string): Promise<StoreBackup> {
  try {
    return await backUpStopped(folder, target)
  } catch (error) {
    if (error instanceof BackupError) throw new CommandError(error.message)
    if (!(error instanceof SqlError)) throw error
    if (error.code !== 'in-use') throw new CommandError(error.message)
    throw new CommandError(
      `A process uses the data in ${folder}, but takes no requests for backups. Run the command as the user of that process, or stop it first.`,
    )
  }
}

/**
 * Asks the server that uses a data folder for a backup. Returns `undefined` when no server runs on the folder. Throws
 * when the server ends before it has replied.
 */
function askServer(folder: string, target: string): Promise<BackupReply | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: backupSocketPath(folder), method: 'POST' }, response => {
      text(response)
        .then(body => resolve(JSON.parse(body)))
        .catch(reject)
    })
    asked.on('error', error => {
      const code = 'code' in error ? error.code : undefined
      if (code === 'ENOENT' || code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
    asked.end(target)
  })
}
