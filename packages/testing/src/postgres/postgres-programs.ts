import { execFile, type SpawnOptions } from 'node:child_process'
import { chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { embeddedBinaries } from './embedded-binaries.ts'

const execute = promisify(execFile)

/** Who runs Postgres. Postgres refuses to run as root. */
export type PostgresUser = Pick<SpawnOptions, 'uid' | 'gid'>

/** The programs of Postgres from npm, and a temporary folder for data that their user may write. */
export interface PostgresPrograms {
  /** The name of the npm package. */
  readonly packageName: string
  readonly bin: string
  readonly user: PostgresUser
  readonly folder: string
}

/** The user "nobody" has this id on nearly every system. */
const nobody = 65_534

/** Makes a temporary folder, and returns programs that its owner may run. The caller removes the folder. */
export async function preparePostgres(): Promise<PostgresPrograms> {
  const user: PostgresUser = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  const folder = await mkdtemp(join(tmpdir(), 'throughline-postgres-'))
  try {
    if (user.uid !== undefined) await chown(folder, user.uid, nobody)
    const { packageName, folder: installed } = await embeddedBinaries()
    const bin = join(await executableBy(user, installed, folder), 'bin')
    return { packageName, bin, user, folder }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Returns a folder whose programs the user may run: a home folder of root is often closed to others. */
async function executableBy(user: PostgresUser, installed: string, folder: string): Promise<string> {
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

interface DataOptions {
  readonly data: string
  /** Of the user `postgres`. */
  readonly password: string
  /** Default: 16. A copy of the data is smaller with a smaller one. */
  readonly walSegmentMegabytes?: number
}

/** Creates the data of a server. The language is English, not "C": a statement that forgets to say how text is sorted must fail here too. */
export async function initializeData(
  { bin, user, folder }: PostgresPrograms,
  { data, password, walSegmentMegabytes = 16 }: DataOptions,
): Promise<void> {
  const secret = join(folder, 'secret')
  await mkdir(secret)
  const passwordFile = join(secret, 'password')
  await writeFile(passwordFile, password)
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=password']
  const size = `--wal-segsize=${walSegmentMegabytes}`
  await execute(join(bin, 'initdb'), [`--pgdata=${data}`, '--no-sync', size, ...locale, ...access], user)
  await rm(secret, { recursive: true })
}

/** Returns the words of the command line that set settings of a server. */
export function settingWords(settings: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Waits until a server accepts connections. Returns false when its process has ended before. */
export async function untilAccepting(url: string, hasEnded: () => boolean): Promise<boolean> {
  while (!hasEnded()) {
    const client = new Client({ connectionString: url })
    // A server that is being stopped ends connections.
    client.on('error', () => undefined)
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
