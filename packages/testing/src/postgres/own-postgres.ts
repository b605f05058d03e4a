import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { PostgresServer } from './postgres-server.ts'

const program = fileURLToPath(new URL('own-postgres-process.ts', import.meta.url))
const startedSchema = z.object({ url: z.string(), origin: z.string() })

/** A Postgres server that can crash. */
export interface OwnPostgres extends PostgresServer {
  /** Kills the server, and starts it again. What it had only in memory is lost. Resolves when it accepts connections. */
  crash(): Promise<void>
}

/**
 * Starts a Postgres server of our own, with these settings: a second process runs it in a temporary folder. It ends on
 * dispose, and when this process dies. Rejects with what the server has printed if it does not start.
 */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const keeper = spawn(process.execPath, [program, ...words], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group: Ctrl+C in a terminal ends the tests first, and then the server.
    detached: true,
  })
  const exited = once(keeper, 'exit')
  const { url, origin } = startedSchema.parse(JSON.parse(await firstLine(keeper)))
  return {
    url,
    origin,
    isOwn: true,
    async crash() {
      const isUp = firstLine(keeper)
      keeper.stdin.write('\n')
      await isUp
    },
    async [Symbol.asyncDispose]() {
      keeper.stdin.end()
      await exited
    },
  }
}

function firstLine(keeper: ChildProcessByStdio<Writable, Readable, Readable>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let output = ''
  let errors = ''
  keeper.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.includes('\n')) resolve(output)
  })
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  keeper.once('error', reject)
  keeper.once('close', () => reject(new Error(`There is no Postgres for the tests.\n${errors}`)))
  return promise
}
