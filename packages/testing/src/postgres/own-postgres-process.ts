// Runs a Postgres server in a temporary folder until the standard input of this process ends. That happens when the
// parent process closes it, and also when the parent dies. Prints one line once the server accepts connections: the
// URL and the origin of the server, as JSON. Exits with an error on the standard error output if it cannot start.
//
// The arguments are settings of the server, as name=value. For each line of the standard input, the server crashes, starts
// again, and the line is printed once more.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../server/free-port.ts'
import {
  initializeData,
  type PostgresPrograms,
  preparePostgres,
  settingWords,
  untilAccepting,
} from './postgres-programs.ts'

/** Four test workers with several pools each must fit. */
const settings = { max_connections: 400, listen_addresses: '127.0.0.1', unix_socket_directories: '' }

async function main(): Promise<void> {
  const programs = await preparePostgres()
  let server: ChildProcess | undefined
  try {
    const password = randomBytes(12).toString('hex')
    const data = join(programs.folder, 'data')
    await initializeData(programs, { data, password })
    const started = await start(programs, { data, password })
    server = started.server
    const line = JSON.stringify({ url: started.url, origin: `started from ${programs.packageName}` })
    console.log(line)
    for await (const _ of process.stdin) {
      await stop(server)
      server = (await start(programs, { data, password, port: started.port })).server
      console.log(line)
    }
  } finally {
    await stop(server)
    await rm(programs.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface Start {
  readonly data: string
  readonly password: string
  /** Default: a free one. */
  readonly port?: number
}

/** Starts the server on a free port. Another program may take the port first, so this tries a few times. */
async function start(
  { bin, user }: PostgresPrograms,
  { data, password, ...known }: Start,
): Promise<{ readonly server: ChildProcess; readonly url: string; readonly port: number }> {
  let output = ''
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = known.port ?? (await freePort())
    const given = process.argv.slice(2).flatMap(setting => ['-c', setting])
    const words = ['-D', data, ...settingWords({ ...settings, port }), ...given]
    const server = spawn(join(bin, 'postgres'), words, {
      ...user,
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Only the reason of a failed start is of interest. The log of a long run is not kept.
      output = (output + text).slice(-4_000)
    })
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    if (await untilAccepting(url, () => hasEnded(server))) return { server, url, port }
  }
  throw new Error(`The Postgres server for the tests does not start:\n${output}`)
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || hasEnded(server)) return
  const exited = once(server, 'exit')
  // An immediate stop: nobody needs the data any more.
  server.kill('SIGQUIT')
  await exited
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

await main()
process.exit()
