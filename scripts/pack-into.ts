import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { publishedPackages } from './published-packages.ts'
import { runCommand } from './run-command.ts'

/** Packs the built packages, as they would be published, into a folder. Returns the paths of the tarballs. */
export async function packInto(folder: string, root: string): Promise<readonly string[]> {
  const workspaces = publishedPackages.flatMap(each => ['--workspace', each.folder])
  await runCommand(['npm', 'pack', '--silent', '--pack-destination', folder, ...workspaces], {
    cwd: root,
    stdio: 'ignore',
  })
  const names = await readdir(folder)
  return names.filter(name => name.endsWith('.tgz')).map(name => join(folder, name))
}
