import { join } from 'node:path'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { folderBytes } from '../file-bytes/folder-bytes.ts'
import { postgresBytes } from '../file-bytes/postgres-bytes.ts'
import { compareRows, copyRows, type MovedTable } from './copy-rows.ts'
import { compareFiles, copyFiles, type MovedFiles } from './move-files.ts'
import { type MoveSource, openSource } from './move-source.ts'
import { type MoveTarget, openTarget } from './move-target.ts'

/** From where to where data is moved. */
export interface MoveOptions {
  /** The data folder of a server that does not run. */
  readonly folder: string
  /** The URL of a Postgres database without data. */
  readonly url: string
  /** The bucket of the files, if there is one. Files in the folder are then copied there. Default: into the database. */
  readonly bucket?: FileBytes | undefined
  /** Is told what has been done. */
  readonly onProgress?: (progress: MoveProgress) => void
  readonly now?: () => Date
}

/** What has been done. */
export type MoveProgress =
  /** An earlier attempt was cut off. What it had written was deleted. */
  | { readonly type: 'restarted' }
  | { readonly type: 'copied' | 'compared'; readonly table: string; readonly rows: number }
  | { readonly type: 'files-copied' }

/** What was moved. Everything was compared. */
export interface MovedStore {
  readonly tables: readonly MovedTable[]
  readonly files: MovedFiles
}

/**
 * Copies the data of a server from its folder to a Postgres database, and compares every row, every entry and every file.
 * Epochs and numbers of entries stay the same, so the positions of viewers stay valid. The folder is only read. If it is
 * interrupted, the next call deletes what was written and begins anew. Works in slices: one file, or about a megabyte of
 * rows, is in memory at a time.
 *
 * Throws a `MoveError` or an `SqlError`, whose message says what to do.
 */
export async function moveStore(options: MoveOptions): Promise<MovedStore> {
  const { folder, url, onProgress = () => undefined, now = () => new Date() } = options
  using source = openSource(folder)
  await using target = await openTarget(url, { tables: source.tables, folder, at: now().toISOString() })
  if (target.isRestarted) onProgress({ type: 'restarted' })
  for (const table of source.tables) {
    const rows = await copyRows(target, table, source.rows(table))
    await target.analyze(table)
    onProgress({ type: 'copied', table: table.name, rows })
  }
  const files = {
    from: folderBytes(join(folder, 'files')),
    to: options.bucket ?? postgresBytes(target.sql),
  }
  await copyFiles(files, fileRows(source))
  onProgress({ type: 'files-copied' })
  const tables = await compareAll(source, target, onProgress)
  const moved = { tables, files: await compareFiles(files, fileRows(source)) }
  await target.finish(now().toISOString())
  return moved
}

async function compareAll(
  source: MoveSource,
  target: MoveTarget,
  onProgress: (progress: MoveProgress) => void,
): Promise<readonly MovedTable[]> {
  const compared: MovedTable[] = []
  for (const table of source.tables) {
    const moved = await compareRows(target, table, source.rows(table))
    compared.push(moved)
    onProgress({ type: 'compared', table: table.name, rows: moved.rows })
  }
  return compared
}

function fileRows(source: MoveSource) {
  const files = source.tables.find(({ name }) => name === 'files')
  if (files === undefined) throw new TypeError('There is no table of files.')
  return source.rows(files)
}
