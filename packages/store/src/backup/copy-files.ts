import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** How much was copied. */
export interface CopiedFiles {
  readonly fileCount: number
  readonly fileBytes: number
}

/**
 * Copies a folder of files, which others may add to and delete from meanwhile. A file that is deleted before it is copied
 * is left out, and so are files that are still being written. Does nothing when there is no such folder.
 */
export async function copyFiles(from: string, to: string): Promise<CopiedFiles> {
  let fileCount = 0
  let fileBytes = 0
  for await (const path of pathsIn(from)) {
    const bytes = await copyOne(path, join(to, relative(from, path)))
    if (bytes === undefined) continue
    fileCount += 1
    fileBytes += bytes
  }
  return { fileCount, fileBytes }
}

/** Returns the size of the file; `undefined` when it is gone. */
async function copyOne(from: string, to: string): Promise<number | undefined> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    // Some file systems copy without copying the bytes.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    return absent(error)
  }
  const copy = await open(to, 'r+')
  try {
    await copy.sync()
    return (await copy.stat()).size
  } finally {
    await copy.close()
  }
}

async function* pathsIn(folder: string): AsyncGenerator<string> {
  const found = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? []
  for (const each of found) {
    const path = join(folder, each.name)
    if (each.isDirectory()) yield* pathsIn(path)
    // A file gets its name when it is complete.
    else if (each.isFile() && !each.name.endsWith('.part')) yield path
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
