import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publishedPackages } from '../../scripts/published-packages.ts'
import { runCommand } from '../../scripts/run-command.ts'

const tarballs = fileURLToPath(new URL('../../.tmp/tarballs', import.meta.url))

/**
 * Puts our packages into a folder `node_modules` as they would be published. A link to their folders in the repository
 * is not the same: Next takes linked packages into its bundles, whatever its configuration says.
 */
export async function unpackPackages(modules: string): Promise<void> {
  const files = await readdir(tarballs).catch(() => [])
  for (const { name } of publishedPackages) {
    const prefix = `${name.replace('@', '').replace('/', '-')}-`
    const file = files.find(each => each.startsWith(prefix) && /^\d/.test(each.slice(prefix.length)))
    if (file === undefined)
      throw new Error(`There is no tarball of ${name} in ${tarballs}. Run: npm run pack:packages`)
    const folder = join(modules, name)
    await mkdir(folder, { recursive: true })
    await runCommand(['tar', '-xzf', join(tarballs, file), '-C', folder, '--strip-components=1'])
    await forgetSources(join(folder, 'package.json'))
  }
}

/** The tests run with the condition that leads to the sources. These are not in the tarballs. */
async function forgetSources(file: string): Promise<void> {
  const about: unknown = JSON.parse(await readFile(file, 'utf8'), (key, value) =>
    key === 'throughline-source' ? undefined : value,
  )
  await writeFile(file, JSON.stringify(about))
}
