import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../scripts/install-locked.ts'
import { runCommand, succeeds } from '../scripts/run-command.ts'

// `npm run test:integrations`: installs every foreign client in its own folder, checks the types, and runs the tests.
// Words after `--` are vitest's: `npm run test:integrations -- proxies.test.ts`.

const folder = fileURLToPath(new URL('.', import.meta.url))
const root = join(folder, '..')

await testAll(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})

async function testAll(words: readonly string[]): Promise<void> {
  await ensurePrograms(['nginx', 'caddy', 'openssl'])
  await installAll()
  // Has the Node 20 on which the templates are tried.
  await installLocked(join(root, 'release'))
  // Also builds the page.
  await runCommand(['npm', 'run', 'pack:packages', '--silent'], { cwd: root })
  await runCommand(['npm', 'exec', '--', 'tsc', '-p', 'integrations'], { cwd: root })
  const config = ['--config', 'integrations/vitest.config.ts']
  await runCommand(['npm', 'exec', '--', 'vitest', 'run', ...config, ...words], { cwd: root })
}

/** Installs the programs that are not there, where that is possible. The tests cannot do without them. */
async function ensurePrograms(names: readonly string[]): Promise<void> {
  const isThere = await Promise.all(names.map(name => succeeds(['which', name])))
  const missing = names.filter((_, index) => isThere[index] !== true)
  if (missing.length === 0) return
  // Debian has nginx in several sizes.
  const packages = missing.map(name => (name === 'nginx' ? 'nginx-light' : name))
  const isPossible = process.getuid?.() === 0 && (await succeeds(['which', 'apt-get']))
  if (!isPossible)
    throw new Error(
      `These programs are needed and not installed: ${missing.join(', ')}. On Debian: apt-get install ${packages.join(' ')}`,
    )
  await runCommand(['apt-get', 'update', '-qq'])
  await runCommand(['apt-get', 'install', '-qq', '-y', '--no-install-recommends', ...packages])
}

/** Two at a time: an installation waits for the network and for the disk in turn. */
async function installAll(): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const clients = entries.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
  const locked = clients.filter(client => existsSync(join(client, 'package-lock.json')))
  const install = async () => {
    for (let next = locked.shift(); next !== undefined; next = locked.shift()) await installLocked(next)
  }
  await Promise.all([install(), install()])
}
