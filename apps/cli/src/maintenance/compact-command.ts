import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CompactedStore,
  compactStore,
  measureStore,
  SqlError,
  type StoreContents,
} from '@throughline/store'
import { bucketOfServer } from '../settings/bucket.ts'
import { CommandError, readOptions } from '../shell/command.ts'
import type { Shell } from '../shell/shell.ts'
import { sizesText } from '../text/units.ts'

/**
 * Makes the database of a server that does not run as small as it can be, and prints its sizes before and after. With
 * `--dry-run` only prints the sizes. Throws a `CommandError` when that is not possible.
 */
export async function compactCommand(words: readonly string[], { env, output }: Shell): Promise<number> {
  const { values, positionals } = readOptions('compact', words, {
    data: { type: 'string' },
    'dry-run': { type: 'boolean' },
  })
  if (positionals.length > 0)
    throw new CommandError('Name the folder with --data FOLDER. See "throughline help compact".')
  if (values.data === undefined && env['DATABASE_URL'])
    throw new CommandError(
      'DATABASE_URL is set, so the data is in Postgres, which frees room by itself (autovacuum). To shrink its files, run "vacuum full" in psql while no server runs. For a SQLite database, name its folder with --data.',
    )
  const folder = values.data ?? (env['THROUGHLINE_DATA'] || './data')
  if (!existsSync(join(folder, 'throughline.sqlite')))
    throw new CommandError(
      `There is no data in ${folder}. Name the folder with --data, or with THROUGHLINE_DATA.`,
    )
  const fileBytes = bucketOfServer(env)
  try {
    if (values['dry-run'] === true) output.write(`${folder}: ${sizesText(await measureStore(folder))}\n`)
    else output.write(`${resultText(folder, await compactStore(folder, { fileBytes }))}\n`)
    return 0
  } catch (error) {
    throw error instanceof SqlError ? refusal(folder, error) : error
  }
}

function resultText(folder: string, { before, after, contents, finishedRemovals }: CompactedStore): string {
  const lines = [`${folder} before: ${sizesText(before)}`, `${folder} after: ${sizesText(after)}`]
  if (finishedRemovals > 0)
    lines.push(
      `Chats that were deleted, but not completely yet: ${count(finishedRemovals)}. They are gone now.`,
    )
  return [...lines, contentsText(contents)].join('\n')
}

function contentsText({ chats, messages, entries }: StoreContents): string {
  return `It holds: chats ${count(chats)}, messages ${count(messages)}, log entries ${count(entries)}.`
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function refusal(folder: string, { code, message }: SqlError): CommandError {
  if (code !== 'in-use') return new CommandError(message)
  return new CommandError(
    `A server is running on the data in ${folder}. Stop it first: only one process can open the data.`,
  )
}
