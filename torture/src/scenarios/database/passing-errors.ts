import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { executeOn } from '@throughline/testing/postgres/postgres-machine'
import { startStatementProxy } from '@throughline/testing/postgres/statement-proxy'
import type { Scenario } from '../scenario.ts'
import { type DisturbedDatabase, databaseScenario } from './database-scenario.ts'
import { type PreparedPostgres, preparePostgres, throughlineUrl } from './prepared-postgres.ts'

/** For some seconds, Postgres refuses statements with an error that passes. */
export const passingErrors: Scenario = databaseScenario({
  name: 'passing-errors',
  unit: 'passing errors',
  lanes: 2,
  perCase: 15,
  async open() {
    const prepared = await preparePostgres()
    return {
      create: (random, seed) => refusingDatabase(prepared, random, seed),
      [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
    }
  },
})

async function refusingDatabase(
  prepared: PreparedPostgres,
  random: SeededRandom,
  seed: number,
): Promise<DisturbedDatabase> {
  const server = await prepared.start(`passing-errors-${seed}`)
  const url = throughlineUrl(server)
  const shares = seededRandom(seed)
  let refusal: Refusal | undefined
  const proxy = await startStatementProxy(url, () =>
    refusal !== undefined && shares.next() < refusal.share
      ? { type: 'refused', code: refusal.code, message: refusal.message }
      : undefined,
  )
  const refuse = (next: Refusal | undefined) => {
    refusal = next
  }
  return {
    url,
    storeOf: () => ({ type: 'postgres', url: proxy.url }),
    mayLose: false,
    // A node that could not beat during several disturbances is taken for dead.
    mustWork: 'answers and known calls',
    async disturb() {
      const [name, disturb] = random.pick(disturbances)
      const forMs = 1_500 + random.below(5_500)
      await disturb({ admin: { url: adminUrl(server.url) }, refuse, random, forMs })
      // What waits is tried again every second. Otherwise two disturbances could be one that is too long.
      await pause(2_000)
      return name
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await server.stop('immediate')
      await prepared.machine.removeData(server.data)
    },
  }
}

/** What the proxy says in the place of the server. */
interface Refusal {
  readonly code: string
  readonly message: string
  /** How many of all statements are refused, at most 1. */
  readonly share: number
}

interface Means {
  /** The server, without the limits that the disturbances set. */
  readonly admin: { readonly url: string }
  readonly refuse: (refusal: Refusal | undefined) => void
  readonly random: SeededRandom
  readonly forMs: number
}

/** Resolves when the disturbance is over. */
type Disturb = (means: Means) => Promise<void>
type NamedDisturb = readonly [string, Disturb]

const disturbances: readonly [NamedDisturb, ...NamedDisturb[]] = [
  ['statement_timeout', withSetting('statement_timeout', '1ms')],
  ['read-only', withSetting('default_transaction_read_only', 'on')],
  ['serializable', withSetting('default_transaction_isolation', 'serializable')],
  ['lock_timeout', withSetting('lock_timeout', '20ms', lockTables)],
  ['locked tables', lockTables],
  ['canceled statements', signalBackends('pg_cancel_backend', "and state = 'active'")],
  ['ended connections', signalBackends('pg_terminate_backend', '')],
  ['refused connections', refuseConnections],
  // What cannot be brought about at will.
  ['out of memory', refused('53200', 'out of memory')],
  ['recovery', refused('55000', 'recovery is in progress')],
  ['deadlocks', refused('40P01', 'deadlock detected')],
]

/** Changes a setting of the server for all sessions, and meanwhile does something that needs it. */
function withSetting(name: string, value: string, work: Disturb = ({ forMs }) => pause(forMs)): Disturb {
  return async means => {
    await executeOn(means.admin, `alter system set ${name} = '${value}'`)
    await executeOn(means.admin, 'select pg_reload_conf()')
    await work(means)
    await executeOn(means.admin, `alter system reset ${name}`)
    await executeOn(means.admin, 'select pg_reload_conf()')
  }
}

const lockedTables = ['runs', 'logs', 'log_entries', 'messages', 'chats', 'nodes']

/** As a program does that changes tables, or makes a dump. It may also stand in a deadlock with statements of the nodes. */
async function lockTables({ admin, random, forMs }: Means): Promise<void> {
  const tables = lockedTables.filter(() => random.next() < 0.5)
  const mode = random.pick(['exclusive', 'access exclusive'])
  const locks = tables.map(table => `lock table ${table} in ${mode} mode;`).join(' ')
  const sleep = `perform pg_sleep(${forMs / 1_000});`
  await executeOn({ url: throughlineUrl(admin) }, `do $$ begin ${locks} ${sleep} end $$`)
}

/** Again and again cancels what is under way, or ends connections. */
function signalBackends(signal: 'pg_cancel_backend' | 'pg_terminate_backend', which: string): Disturb {
  return async ({ admin, random, forMs }) => {
    const until = Date.now() + forMs
    while (Date.now() < until) {
      await executeOn(
        admin,
        `select ${signal}(pid) from pg_stat_activity where datname = 'throughline' ${which}`,
      )
      await pause(random.below(500))
    }
  }
}

async function refuseConnections({ admin, forMs }: Means): Promise<void> {
  await executeOn(admin, 'alter database throughline allow_connections false')
  await executeOn(
    admin,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'throughline'",
  )
  await pause(forMs)
  await executeOn(admin, 'alter database throughline allow_connections true')
}

function refused(code: string, message: string): Disturb {
  return async ({ refuse, random, forMs }) => {
    refuse({ code, message, share: random.pick([0.1, 0.5, 1]) })
    await pause(forMs)
    refuse(undefined)
  }
}

/** In a deadlock with the nodes, not this session is the one that fails. */
function adminUrl(serverUrl: string): string {
  const url = new URL(serverUrl)
  const settings = [
    'statement_timeout=0',
    'lock_timeout=0',
    'deadlock_timeout=60s',
    'default_transaction_read_only=off',
  ]
  url.searchParams.set('options', settings.map(setting => `-c ${setting}`).join(' '))
  return url.href
}
