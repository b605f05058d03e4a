import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type PublishedPackage, publishedPackages } from '../published-packages.ts'
import { runCommand } from '../run-command.ts'

/** Packs built packages, as they would be published, into a folder. Returns the paths of the tarballs. */
export async function packInto(
  folder: string,
  root: string,
  packages: readonly PublishedPackage[] = publishedPackages,
): Promise<readonly string[]> {
  const workspaces = packages.flatMap(each => ['--workspace', each.folder])
  await runCommand(['npm', 'pack', '--silent', '--pack-destination', folder, ...workspaces], {
    cwd: root,
    env: { ...process.env, [mark]: 'yes' },
    stdio: 'ignore',
  })
  const names = await readdir(folder)
  return names.filter(name => name.endsWith('.tgz')).map(name => join(folder, name))
}

const mark = 'PACKED_BY_SCRIPT'

/** Returns whether npm packs for `packInto`: see prepack.ts. */
export function isPackedByScript(env: NodeJS.ProcessEnv): boolean {
  return env[mark] === 'yes'
}
