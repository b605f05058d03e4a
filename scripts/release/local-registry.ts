import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@throughline/testing/server/free-port'
import { installLocked } from '../install-locked.ts'

export interface LocalRegistry extends AsyncDisposable {
  /** The environment for an npm that uses this registry, and may publish to it. */
  readonly env: NodeJS.ProcessEnv
}

/**
 * Starts verdaccio on a free port, with an empty folder. Packages of Throughline come only from what is published to it,
 * all others come from the registry `upstream`.
 */
export async function startLocalRegistry(root: string, upstream: string): Promise<LocalRegistry> {
  await using stack = new AsyncDisposableStack()
  const program = join(root, 'release/registry')
  await installLocked(program)
  const folder = await mkdtemp(join(tmpdir(), 'throughline-registry-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const address = `127.0.0.1:${await freePort()}`
  await writeFile(join(folder, 'config.yaml'), configuration(upstream))
  // npm refuses to publish without a token. The registry does not look at it.
  const settings = [`registry=http://${address}/`, `//${address}/:_authToken=rehearsal`]
  await writeFile(join(folder, 'npmrc'), settings.join('\n'))
  const words = ['--config', join(folder, 'config.yaml'), '--listen', address]
  const child = spawn(process.execPath, [join(program, 'node_modules/verdaccio/bin/verdaccio'), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  stack.defer(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await untilReady(`http://${address}/-/ping`, AbortSignal.timeout(60_000))
  const kept = stack.move()
  return {
    env: { ...cleanEnv(), npm_config_userconfig: join(folder, 'npmrc') },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/**
 * Returns this process's environment without what would lead programs back into the repository: `npm run` passes on its own
 * settings and folder, and Node is told to use the sources of the packages.
 */
function cleanEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && name !== 'INIT_CWD' && !name.startsWith('npm_'),
  )
  return Object.fromEntries(kept)
}

function configuration(upstream: string): string {
  const own = { access: '$all', publish: '$all' }
  // JSON is YAML, too.
  return JSON.stringify({
    storage: './packages',
    uplinks: { upstream: { url: upstream } },
    packages: {
      '@throughline/*': own,
      '*throughline': own,
      '**': { access: '$all', proxy: 'upstream' },
    },
    log: { type: 'stdout', level: 'error' },
  })
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!(await isReady(url))) {
    signal.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
