// `npm run release:rehearse`: does everything that a release does, with a registry on this machine. Builds and publishes all
// packages, makes a project with `npm create throughline`, installs it, runs its test, starts its server and asks it something.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readmeExample } from '../packages/readme-example.ts'
import { startInstalledServer } from '../packages/start-installed-server.ts'
import { runCommand } from '../run-command.ts'
import { startLocalRegistry } from './local-registry.ts'
import { publishPackages } from './publish-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'throughline-rehearsal-'))
try {
  await rehearse()
  console.log('The release would work: published, created, installed, tested, started, and asked.')
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function rehearse(): Promise<void> {
  await runCommand(['npm', 'run', '--silent', 'build:packages'], { cwd: root })
  const { stdout: upstream } = await promisify(execFile)('npm', ['config', 'get', 'registry'])
  await using registry = await startLocalRegistry(root, upstream.trim())
  await publishPackages(root, registry.env)
  // As after a release that failed halfway: nothing is published twice.
  await publishPackages(root, registry.env)

  const project = join(folder, 'my-app')
  await runCommand(['npm', 'create', '--yes', 'throughline', 'my-app'], { cwd: folder, env: registry.env })
  for (const words of [['install', '--no-audit', '--no-fund'], ['test'], ['run', 'check'], ['run', 'build']])
    await runCommand(['npm', ...words], { cwd: project, env: registry.env })
  await ask(project, registry.env)
}

/** Starts the server of a project, and asks it with the example in the README of the client. */
async function ask(project: string, env: NodeJS.ProcessEnv): Promise<void> {
  await using server = await startInstalledServer(project)
  const example = await readmeExample(join(root, 'packages/client'))
  const code = example?.code.replace('http://127.0.0.1:4000', server.url) ?? ''
  await writeFile(join(project, 'example.ts'), code)
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: project, env })
  if (!stdout.includes('Lisbon')) throw new Error(`The installed server said:\n${stdout}`)
}
