import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { packInto } from '../packages/pack-into.ts'
import { publishedPackages } from '../published-packages.ts'
import { runCommand, succeeds } from '../run-command.ts'

/**
 * Packs the built packages and publishes those whose version the registry does not have yet, each after those that it
 * needs. So it can be called again when it failed halfway. The registry and the rights come from the settings of npm.
 */
export async function publishPackages(root: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-publish-'))
  try {
    const tarballs = await packInto(folder, root)
    for (const each of publishedPackages) {
      const { version } = JSON.parse(await readFile(join(root, each.folder, 'package.json'), 'utf8'))
      const name = `${each.name}@${version}`
      if (await succeeds(['npm', 'view', name, 'version'], { cwd: folder, env })) {
        console.log(`${name} is published already.`)
        continue
      }
      const file = `${each.name.replace('@', '').replace('/', '-')}-${version}.tgz`
      const tarball = tarballs.find(path => basename(path) === file)
      if (tarball === undefined) throw new Error(`npm pack has made no ${file}.`)
      await runCommand(['npm', 'publish', tarball, '--access', 'public', '--silent'], { cwd: folder, env })
      console.log(`${name} is published.`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
