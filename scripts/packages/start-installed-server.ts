import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface InstalledServer extends AsyncDisposable {
  readonly url: string
}

/** Starts the command that is installed in a folder, as `npx throughline serve` does, on a free port. */
export async function startInstalledServer(
  folder: string,
  node = process.execPath,
): Promise<InstalledServer> {
  const program = join(folder, 'node_modules/throughline/bin/throughline.js')
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(node, [program, 'serve'], {
    cwd: folder,
    env: { ...env, PORT: '0', THROUGHLINE_LOG: 'silent', THROUGHLINE_MODEL: 'demo' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    const url = /http:\/\/\S+/.exec(line)?.[0]
    if (url === undefined) continue
    child.stdout.resume()
    return {
      url,
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM')
        await exited
      },
    }
  }
  throw new Error('The installed server did not start.')
}
