import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  await run(['npm', 'run', 'build', '--silent'], root)
  await run(['npm', 'exec', '--', 'tsc', '-p', 'integrations'], root)
  const config = ['--config', 'integrations/vitest.config.ts']
  await run(['npm', 'exec', '--', 'vitest', 'run', ...config, ...words], root)
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
  await run(['apt-get', 'update', '-qq'], folder)
  await run(['apt-get', 'install', '-qq', '-y', '--no-install-recommends', ...packages], folder)
}

/** Two at a time: an installation waits for the network and for the disk in turn. */
async function installAll(): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  const clients = entries.filter(entry => entry.isDirectory()).map(({ name }) => join(folder, name))
  const locked = clients.filter(client => existsSync(join(client, 'package-lock.json')))
  const install = async () => {
    for (let next = locked.shift(); next !== undefined; next = locked.shift()) await installIn(next)
  }
  await Promise.all([install(), install()])
}

/** What is installed already, as the lock file says, stays. */
async function installIn(client: string): Promise<void> {
  const lock = createHash('sha256')
    .update(await readFile(join(client, 'package-lock.json')))
    .digest('hex')
  const mark = join(client, 'node_modules', '.installed')
  if ((await readFile(mark, 'utf8').catch(() => '')) === lock) return
  await run(['npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-progress'], client)
  await writeFile(mark, lock)
}

async function run(command: readonly string[], cwd: string): Promise<void> {
  console.log(`${cwd}$ ${command.join(' ')}`)
  if (await succeeds(command, { cwd, stdio: 'inherit' })) return
  throw new Error(`"${command.join(' ')}" failed in ${cwd}.`)
}

async function succeeds(
  [program = '', ...words]: readonly string[],
  options: { readonly cwd?: string; readonly stdio?: 'inherit' | 'ignore' } = {},
): Promise<boolean> {
  const child = spawn(program, words, { stdio: 'ignore', ...options })
  const [code] = await once(child, 'close')
  return code === 0
}
