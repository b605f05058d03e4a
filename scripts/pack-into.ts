import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type PublishedPackage, publishedPackages } from './published-packages.ts'
import { runCommand } from './run-command.ts'

/** Packs built packages, as they would be published, into a folder. Returns the paths of the tarballs. */
export async function packInto(
  folder: string,
  root: string,
  packages: readonly PublishedPackage[] = publishedPackages,
): Promise<readonly string[]> {
  const workspaces = packages.flatMap(each => ['--workspace', each.folder])
  await runCommand(['npm', 'pack', '--silent', '--pack-destination', folder, ...workspaces], {
    cwd: root,
    stdio: 'ignore',
  })
  const names = await readdir(folder)
  return names.filter(name => name.endsWith('.tgz')).map(name => join(folder, name))
}
