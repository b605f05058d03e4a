import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type DevServer, startDevServer } from '@throughline/testing/server/dev-server'
import { freePort } from '@throughline/testing/server/free-port'
import { createFromTarballs } from '../../scripts/packages/create-from-tarballs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Where `npm run test:integrations` has packed the packages. */
export const tarballs = join(root, '.tmp/tarballs')

/** A project that was made from a template and installed, in a folder outside of the repository. */
export interface Project extends AsyncDisposable {
  readonly folder: string
  /** Runs a command of npm in the project, and returns what it prints. Rejects when it fails. */
  npm(...words: string[]): Promise<string>
  /** Starts a script of the project, such as `dev`, on free ports. Resolves when it has printed an address. */
  start(script: string): Promise<DevServer>
}

export async function installedProject(template: string): Promise<Project> {
  const parent = await mkdtemp(join(tmpdir(), 'throughline-template-'))
  const { folder } = await createFromTarballs({ folder: join(parent, 'my-app'), template, tarballs })
  const env = environment()
  const npm = async (...words: string[]) => {
    const { stdout } = await promisify(execFile)('npm', words, { cwd: folder, env })
    return stdout
  }
  await npm('install', '--prefer-offline', '--no-audit', '--no-fund')
  return {
    folder,
    npm,
    start: script => startScript(script, { folder, env, template }),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  }
}

/**
 * Returns the environment of a machine that has Node 20 only, and nothing of this repository. Where npm has no such Node,
 * the one of the machine is used.
 */
export function environment(): Readonly<Record<string, string>> {
  const old = join(root, 'release/node_modules/node20/bin')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(each => !each.startsWith(root))
  return {
    ...definedEnv(),
    PATH: (existsSync(old) ? [old, ...path] : path).join(delimiter),
    // Otherwise the packages would look for the sources of the repository, and npm would leave out development dependencies.
    NODE_OPTIONS: '',
    NODE_ENV: '',
    NEXT_TELEMETRY_DISABLED: '1',
  }
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

interface Script {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly template: string
}

async function startScript(script: string, { folder, env, template }: Script): Promise<DevServer> {
  const port = String(await freePort())
  const pagePort = String(await freePort())
  const hasPagePort = template === 'next' || (template === 'react' && script === 'dev')
  const words = hasPagePort ? ['--port', pagePort] : []
  const server = await startDevServer({
    folder,
    command: ['npm', 'run', script, '--', ...words],
    env: { ...env, PORT: port },
  })
  // The first address that is printed may be that of the agents.
  return { ...server, url: `http://localhost:${hasPagePort ? pagePort : port}` }
}
