import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../server/free-port.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { replaced } from './replaced.ts'
import type { ProxyOptions } from './start-nginx.ts'
import { startProgram } from './start-program.ts'

/** Caddy with a documented configuration. It makes its own certificate, because nobody can give it one for this name. */
export async function startCaddy({ config, port, addresses }: ProxyOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  const global = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    'auto_https disable_redirects',
    `https_port ${port}`,
    `http_port ${await freePort()}`,
    `storage file_system ${path}`,
  ]
  const site = replaced(config, addresses)
  const file = join(path, 'Caddyfile')
  await writeFile(file, `{\n${global.join('\n')}\n}\n${site}`)
  stack.use(
    await startProgram({ command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', file], port }),
  )
  const kept = stack.move()
  return { [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
