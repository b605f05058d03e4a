// Runs a Postgres server in a temporary folder until the standard input of this process ends. That happens when the
// parent process closes it, and also when the parent dies. Prints one line once the server accepts connections: the
// URL and the origin of the server, as JSON. Exits with an error on the standard error output if it cannot start.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../server/free-port.ts'
import { embeddedBinaries } from './embedded-binaries.ts'

const execute = promisify(execFile)

/** Four test workers with several pools each must fit. */
const settings = { max_connections: '400', listen_addresses: '127.0.0.1', unix_socket_directories: '' }

/** Postgres refuses to run as root. The user "nobody" has this id on nearly every system. */
const nobody = 65_534

type User = Pick<SpawnOptions, 'uid' | 'gid'>

async function main(): Promise<void> {
  const parentEnded = once(process.stdin.resume(), 'end')
  const user: User = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const folder = await mkdtemp(join(tmpdir(), 'throughline-postgres-'))
  if (user.uid !== undefined) await chown(folder, user.uid, nobody)
  let server: ChildProcess | undefined
  try {
    const { packageName, folder: installed } = await embeddedBinaries()
    const binaries = await executableBy(user, installed, folder)
    const password = randomBytes(12).toString('hex')
    const data = await createCluster(binaries, { folder, password, user })
    const started = await start(binaries, { data, password, user })
    server = started.server
    console.log(JSON.stringify({ url: started.url, origin: `started from ${packageName}` }))
    await Promise.race([parentEnded, once(server, 'exit')])
  } finally {
    await stop(server)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Returns a folder whose programs the user may run: a home folder of root is often closed to others. */
async function executableBy(user: User, installed: string, folder: string): Promise<string> {
  try {
    await execute(join(installed, 'bin', 'postgres'), ['--version'], user)
    return installed
  } catch (error) {
    if (user.uid === undefined) throw error
    const copy = join(folder, 'native')
    await cp(installed, copy, { recursive: true, verbatimSymlinks: true })
    return copy
  }
}

interface Cluster {
  readonly folder: string
  readonly password: string
  readonly user: User
}

/** The language is English, not "C": a statement that forgets to say how text is sorted must fail here too. */
async function createCluster(binaries: string, { folder, password, user }: Cluster): Promise<string> {
  const secret = join(folder, 'secret')
  const data = join(folder, 'data')
  await mkdir(secret)
  const passwordFile = join(secret, 'password')
  await writeFile(passwordFile, password)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=password']
  await execute(
    join(binaries, 'bin', 'initdb'),
    [`--pgdata=${data}`, '--no-sync', ...locale, ...access],
    user,
  )
  await rm(secret, { recursive: true })
  return data
}

interface Start {
  readonly data: string
  readonly password: string
  readonly user: User
}

/** Starts the server on a free port. Another program may take the port first, so this tries a few times. */
async function start(
  binaries: string,
  { data, password, user }: Start,
): Promise<{ readonly server: ChildProcess; readonly url: string }> {
  let output = ''
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = await freePort()
    const options = Object.entries({ ...settings, port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    const server = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, ...options], {
      ...user,
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Only the reason of a failed start is of interest. The log of a long run is not kept.
      output = (output + text).slice(-4_000)
    })
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    if (await accepts(url, server)) return { server, url }
  }
  throw new Error(`The Postgres server for the tests does not start:\n${output}`)
}

/** Waits until the server accepts connections. Returns false when it has exited. */
async function accepts(url: string, server: ChildProcess): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await pause(20)
    }
  }
  return false
}

async function stop(server: ChildProcess | undefined): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  // An immediate stop: nobody needs the data any more.
  server.kill('SIGQUIT')
  await exited
}

await main()
process.exit()
