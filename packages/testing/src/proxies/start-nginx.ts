import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { replaced } from './replaced.ts'
import { startProgram } from './start-program.ts'

export interface ProxyOptions {
  readonly config: string
  /** Where it is to listen. */
  readonly port: number
  /** Where the servers behind it listen, such as `127.0.0.1:4001`, by the address that the document has for each. */
  readonly addresses: Readonly<Record<string, string>>
}

/** nginx with a documented configuration. Only addresses and paths are other than in the document. */
export async function startNginx({ config, port, addresses }: ProxyOptions): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  await createCertificate(path)
  const server = replaced(config, {
    'listen 443': `listen 127.0.0.1:${port}`,
    '/etc/ssl/chat.example.pem': join(path, 'certificate.pem'),
    '/etc/ssl/chat.example.key': join(path, 'key.pem'),
    ...addresses,
  })
  await writeFile(join(path, 'nginx.conf'), around(server, path))
  const file = join(path, 'nginx.conf')
  stack.use(
    await startProgram({ command: ['nginx', '-e', join(path, 'error.log'), '-p', path, '-c', file], port }),
  )
  const kept = stack.move()
  return { [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** What a system has around the configurations of its servers, in a folder of its own. */
function around(server: string, path: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return [
    'daemon off;',
    process.getuid?.() === 0 ? 'user root;' : '',
    `pid ${join(path, 'nginx.pid')};`,
    'events {}',
    'http {',
    'access_log off;',
    ...temporary.map(name => `${name}_temp_path ${join(path, name)};`),
    server,
    '}',
  ].join('\n')
}

async function createCertificate(folder: string): Promise<void> {
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=chat.example', '-addext', 'subjectAltName=DNS:chat.example'],
    ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')],
  ])
}
