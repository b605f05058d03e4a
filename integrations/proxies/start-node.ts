import { startChildServer } from '@throughline/testing/server/child-server'
import { freePort } from '@throughline/testing/server/free-port'

export interface NodeOptions {
  /** The folder with the configuration. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** `throughline serve` in its own process, at a port that it keeps when it comes back. */
export interface Node extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** How many requests it has served, without those that ask whether it is ready. */
  requestCount(): number
  /** Ends the process, and waits for its end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Stops the process in the middle of what it does. It still gets connections. */
  pause(): void
  restart(): Promise<void>
}

export async function startNode({ folder, env }: NodeOptions): Promise<Node> {
  const port = await freePort()
  // The log has a line for each request.
  const settings = { ...env, PORT: String(port), THROUGHLINE_LOG: 'debug' }
  const start = () => startChildServer(`${folder}/data`, settings, folder)
  let child = await start()
  let earlier = 0
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requestCount: () => earlier + requestsIn(child.output()),
    async end(signal) {
      await child.end(signal)
    },
    pause: () => child.pause(),
    async restart() {
      earlier += requestsIn(child.output())
      child = await start()
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

function requestsIn(output: string): number {
  const isCounted = (line: string) => line.includes('"msg":"request"') && !line.includes('"/ready"')
  return output.split('\n').filter(isCounted).length
}
