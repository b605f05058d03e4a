import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import { renewStore } from '@throughline/store'
import { executeOn, promote } from '@throughline/testing/postgres/postgres-machine'
import { dumpRows, fillRows, type RowDump } from '@throughline/testing/postgres/row-dump'
import { type PreparedPostgres, throughlineUrl } from '../database/prepared-postgres.ts'
import type { RestoredData } from './restored-data.ts'

/**
 * - `dump`: all rows as of one moment, while the nodes go on, into a new database.
 * - `refill`: the same, into the same database, whose tables are emptied first.
 * - `template`: a copy of the database while the nodes are down.
 * - `renewed copy`: a copy of the whole running server, started as it is, and `throughline renew`.
 * - `promoted copy`: a copy of the whole running server, recovered as from an archive: it gets another timeline.
 */
export type PostgresBackup = DatabaseBackup | ServerBackup
type DatabaseBackup = 'dump' | 'refill' | 'template'
type ServerBackup = 'renewed copy' | 'promoted copy'

interface PostgresOptions {
  readonly prepared: PreparedPostgres
  readonly backup: PostgresBackup
  readonly random: SeededRandom
  /** Names the data of the servers. */
  readonly name: string
}

/** Returns data in Postgres, on a server of its own. */
export async function restoredPostgres(options: PostgresOptions): Promise<RestoredData> {
  const { prepared, backup, random, name } = options
  const isServer = backup === 'renewed copy' || backup === 'promoted copy'
  const data = isServer
    ? await restoredServer(prepared, backup, name)
    : await restoredDatabase(prepared, backup, name)
  return {
    ...data,
    kind: `Postgres ${backup}`,
    nodes: 1 + random.below(3),
    storeOf: () => ({ type: 'postgres', url: data.witnessUrl() }),
  }
}

interface RestoredPostgres extends Pick<RestoredData, 'backUp' | 'restore'>, AsyncDisposable {
  readonly witnessUrl: () => string
}

/** One database, restored on the same server. */
async function restoredDatabase(
  prepared: PreparedPostgres,
  backup: DatabaseBackup,
  name: string,
): Promise<RestoredPostgres> {
  const server = await prepared.start(name)
  const urlOf = (database: string) => Object.assign(new URL(server.url), { pathname: `/${database}` }).href
  await executeOn(server, 'create database empty template throughline')
  let current = 'throughline'
  let dump: RowDump | undefined
  let restored = 0
  return {
    witnessUrl: () => urlOf(current),
    async backUp(cluster) {
      if (backup !== 'template') {
        dump = await dumpRows(urlOf(current))
        return
      }
      await cluster.killAll()
      await endConnections(server, current)
      await executeOn(server, `create database backup template ${current}`)
      await cluster.startAgain()
      // Before that, nodes do not go on with what others have left. Nothing would be written that the backup lacks.
      await pause(takeoverMs)
    },
    async restore() {
      if (backup !== 'refill') {
        restored += 1
        current = `restored_${restored}`
        const template = backup === 'template' ? 'backup' : 'empty'
        await executeOn(server, `create database ${current} template ${template}`)
      }
      if (dump !== undefined) await fillRows(urlOf(current), dump)
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate')
      await prepared.machine.removeData(name)
    },
  }
}

/** After this time, other nodes go on with the answers of a node that was killed. */
const takeoverMs = 17_000

/** A database that somebody is connected to cannot be copied. */
async function endConnections(server: Parameters<typeof executeOn>[0], database: string): Promise<void> {
  await executeOn(
    server,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`,
  )
}

/** A whole server, restored as another one. */
async function restoredServer(
  { machine, start }: PreparedPostgres,
  backup: ServerBackup,
  name: string,
): Promise<RestoredPostgres> {
  let server = await start(`${name}-0`)
  const copy = `${name}-copy`
  let restored = 0
  return {
    witnessUrl: () => throughlineUrl(server),
    backUp: () => machine.backUp(server, copy),
    async restore() {
      await server.stop('immediate')
      await machine.removeData(server.data)
      restored += 1
      const data = `${name}-${restored}`
      await machine.copyData(copy, data)
      // The server that it would follow is gone.
      const options = backup === 'promoted copy' ? { standbyOf: server } : {}
      server = await machine.start(data, options)
      if (backup === 'promoted copy') await promote(server)
      else await renewStore({ folder: '', postgres: { url: throughlineUrl(server) } })
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate')
      for (const data of [server.data, copy]) await machine.removeData(data)
    },
  }
}
