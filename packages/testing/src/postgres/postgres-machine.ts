import { type ChildProcess, execFile, fork } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { isKeeperReport, type KeeperRequest } from './postgres-keeper-messages.ts'
import {
  initializeData,
  type PostgresPrograms,
  preparePostgres,
  settingWords,
  untilAccepting,
} from './postgres-programs.ts'

const execute = promisify(execFile)
const program = fileURLToPath(new URL('postgres-keeper-process.ts', import.meta.url))

/** How a server stops: `fast` ends all connections and saves everything, `immediate` is a crash. */
export type PostgresStop = 'fast' | 'immediate'

export type PostgresSettings = Readonly<Record<string, string | number>>

/** A server that runs on a data folder of the machine. */
export interface MachineServer {
  /** The URL of its database `postgres`, as a user who may do everything. */
  readonly url: string
  /** The name of its data. */
  readonly data: string
  readonly port: number
  stop(how: PostgresStop): Promise<void>
}

interface StartOptions {
  readonly settings?: PostgresSettings
  /** Default: a free port. A server that starts again should keep its port. */
  readonly port?: number
  /** The server follows the one at this port, and is read-only until it is promoted. */
  readonly standbyOf?: Pick<MachineServer, 'port'>
}

/** Small enough for many servers at once. Nothing is written to the disk early, so that a crash has something to recover. */
const usualSettings = {
  max_connections: 120,
  shared_buffers: '32MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_keep_size: '256MB',
  checkpoint_timeout: '1h',
  wal_retrieve_retry_interval: '200ms',
}

/**
 * Postgres servers of our own, which tests stop, crash, copy and promote. All of them end on dispose, and when this
 * process dies. Data folders are known by their names.
 */
export class PostgresMachine implements AsyncDisposable {
  readonly #programs: PostgresPrograms
  readonly #password = randomBytes(12).toString('hex')
  readonly #keeper: ChildProcess
  readonly #outputs = new Map<number, string>()
  #lastId = 0

  private constructor(programs: PostgresPrograms) {
    this.#programs = programs
    // Its own process group: Ctrl+C in a terminal ends the tests first, and then the servers.
    this.#keeper = fork(program, [programs.folder], { detached: true, execArgv: ['--no-warnings'] })
    this.#keeper.setMaxListeners(0)
    this.#keeper.on('message', report => {
      if (isKeeperReport(report)) this.#outputs.set(report.id, report.output)
    })
  }

  static async open(): Promise<PostgresMachine> {
    return new PostgresMachine(await preparePostgres())
  }

  /** Makes the data of a new, empty server. */
  async createData(data: string): Promise<void> {
    // Short WAL files make short copies.
    const options = { data: this.#pathOf(data), password: this.#password, walSegmentMegabytes: 1 }
    await initializeData(this.#programs, options)
  }

  /** Copies the data of a server that is stopped. */
  async copyData(from: string, to: string): Promise<void> {
    await this.#shell('cp -a "$1" "$2"', this.#pathOf(from), this.#pathOf(to))
  }

  async removeData(data: string): Promise<void> {
    await this.#shell('rm -rf "$1"', this.#pathOf(data))
  }

  /** Copies the data of a server that is running, as `pg_basebackup` does. The copy is as of the end of this call. */
  async backUp(from: MachineServer, to: string): Promise<void> {
    const client = new Client({ connectionString: from.url })
    await client.connect()
    try {
      await client.query("select pg_backup_start('copy', fast => true)")
      await this.#shell(copyRunning, this.#pathOf(from.data), this.#pathOf(to))
      const { rows } = await client.query<{ labelfile: string }>(
        'select labelfile from pg_backup_stop(false)',
      )
      await this.#shell(copyRest, this.#pathOf(from.data), this.#pathOf(to), rows[0]?.labelfile ?? '')
    } finally {
      await client.end()
    }
  }

  /** Starts a server, and waits until it accepts connections. Throws with what it has printed when it does not. */
  async start(data: string, { settings, port, standbyOf }: StartOptions = {}): Promise<MachineServer> {
    let output = ''
    // Another program may take a free port first.
    for (let attempt = 0; attempt < (port === undefined ? 5 : 1); attempt += 1) {
      const server = await this.#startAt(data, { settings, standbyOf, port: port ?? (await lastingPort()) })
      if (typeof server !== 'string') return server
      output = server
    }
    throw new Error(`A Postgres server does not start:\n${output}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#keeper, 'exit')
    this.#keeper.disconnect()
    await exited
  }

  /** Returns what the server has printed when it does not start. */
  async #startAt(
    data: string,
    {
      settings = {},
      port,
      standbyOf,
    }: {
      settings: PostgresSettings | undefined
      port: number
      standbyOf: StartOptions['standbyOf'] | undefined
    },
  ): Promise<MachineServer | string> {
    const { bin, user } = this.#programs
    const path = this.#pathOf(data)
    await this.#shell(
      standbyOf === undefined ? 'rm -f "$1/standby.signal"' : 'touch "$1/standby.signal"',
      path,
    )
    const following = standbyOf === undefined ? {} : { primary_conninfo: this.#connectionTo(standbyOf, data) }
    const words = settingWords({ ...usualSettings, ...settings, ...following, port })
    this.#lastId += 1
    const id = this.#lastId
    this.#tell({
      type: 'start',
      id,
      program: join(bin, 'postgres'),
      words: ['-D', path, ...words],
      user: { ...user },
    })
    const url = `postgres://postgres:${this.#password}@127.0.0.1:${port}/postgres`
    if (!(await untilAccepting(url, () => this.#outputs.has(id)))) return this.#outputs.get(id) ?? ''
    return { url, data, port, stop: how => this.#stop(id, how) }
  }

  async #stop(id: number, how: PostgresStop): Promise<void> {
    this.#tell({ type: 'signal', id, signal: how === 'fast' ? 'SIGINT' : 'SIGQUIT' })
    while (!this.#outputs.has(id)) await once(this.#keeper, 'message')
  }

  #tell(request: KeeperRequest): void {
    this.#keeper.send(request)
  }

  #connectionTo({ port }: Pick<MachineServer, 'port'>, name: string): string {
    return `host=127.0.0.1 port=${port} user=postgres password=${this.#password} application_name=${name}`
  }

  #pathOf(data: string): string {
    return join(this.#programs.folder, data)
  }

  /** Runs a script as the user of the servers: the data must be theirs. */
  async #shell(script: string, ...words: readonly string[]): Promise<void> {
    await execute('sh', ['-e', '-c', script, 'sh', ...words], {
      ...this.#programs.user,
      cwd: this.#programs.folder,
    })
  }
}

/** Makes a standby a primary, and waits until it is one. */
export async function promote(server: MachineServer): Promise<void> {
  await executeOn(server, 'select pg_promote(wait => true)')
}

/** Waits until a standby receives what its primary writes. */
export async function untilStreaming(primary: MachineServer, standby: MachineServer): Promise<void> {
  const sql = `select 1 from pg_stat_replication where application_name = '${standby.data}' and state = 'streaming'`
  while ((await executeOn(primary, sql)) === 0) await new Promise(resolve => setTimeout(resolve, 20))
}

/** Runs a statement as somebody who may do everything. Returns how many rows it returns or changes. */
export async function executeOn({ url }: Pick<MachineServer, 'url'>, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query(sql)
    return rowCount ?? 0
  } finally {
    await client.end()
  }
}

// The WAL comes last: it must have everything up to the end of the backup. A file may go while it is copied, so this is
// tried a few times.
const copyRunning = `
  copy() {
    rm -rf "$2" && mkdir -m 700 "$2" &&
    for entry in $(ls -A "$1"); do
      case $entry in pg_wal | postmaster.* | standby.signal | backup_label*) continue ;; esac
      cp -a "$1/$entry" "$2/" || return 1
    done
    mkdir -m 700 "$2/pg_wal"
  }
  copy "$1" "$2" || copy "$1" "$2" || copy "$1" "$2"`

const copyRest = 'cp -a "$1"/pg_wal/0* "$2/pg_wal/" && printf "%s" "$3" > "$2/backup_label"'

/**
 * Returns a free port for a server that stops and starts again. It is below those that systems give to outgoing
 * connections: one of them could take it in between.
 */
async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
