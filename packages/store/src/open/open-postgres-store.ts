import { randomHex } from '@throughline/protocol'
import { Client, type ClientConfig } from 'pg'
import { databaseOnPostgres } from '../database/database.ts'
import { withEarlierBytes } from '../file-bytes/earlier-bytes.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { postgresBytes } from '../file-bytes/postgres-bytes.ts'
import { reportFailures } from '../file-bytes/reported-bytes.ts'
import { postgresFacts, readPostgresSizes } from '../health/database-facts.ts'
import { watchPostgresHealth } from '../health/postgres-health.ts'
import { assertNotMoving } from '../move/move-target.ts'
import { SharedClock } from '../nodes/shared-clock.ts'
import { createSharedKeys } from '../nodes/shared-keys.ts'
import { createPostgresLogStore, type PostgresLogOptions } from '../postgres/log/postgres-log-store.ts'
import {
  encryptNotifications,
  type NotificationSecret,
} from '../postgres/notifications/encrypted-notifications.ts'
import { type Notifications, openNotifications } from '../postgres/notifications/notifications.ts'
import { createPostgresSignals } from '../postgres/notifications/postgres-signals.ts'
import { connectPostgres, openPostgres, type PostgresSql } from '../postgres/open-postgres.ts'
import { defaultMaxWaitMs } from '../postgres/patient-queries.ts'
import type { PostgresOptions } from '../postgres/postgres-options.ts'
import { assembleStore } from './assemble-store.ts'
import type { Store } from './store.ts'

/** How this process uses a Postgres server. */
export interface PostgresStoreOptions extends PostgresOptions, PostgresLogOptions {
  /**
   * Where the bytes of files are. Default: in the database. Files that were saved there before are still found.
   */
  readonly fileBytes?: FileBytes | undefined
  /**
   * Where to listen for notifications. Default: the same URL. Needed when that URL leads to a pooler that shares
   * connections by transaction: this one must lead to the server itself.
   */
  readonly listenUrl?: string | undefined
  /**
   * When a process that removes a chat gives no sign of life for this time, in milliseconds, another one goes on.
   * Default: 60,000.
   */
  readonly removalLeaseMs?: number
  /** Returns the time by which nodes live and die, in milliseconds since 1970. Default: the clock of the database. */
  readonly clock?: (() => number) | undefined
}

/**
 * Opens the store in a Postgres database, and migrates it. Any number of processes can have it open at once. Throws an
 * `SqlError` whose message says what to do, as `openPostgres` does. No message contains the password.
 */
export async function openPostgresStore(
  url: string,
  {
    fileBytes,
    report = () => undefined,
    listenUrl = url,
    removalLeaseMs = 60_000,
    ...options
  }: PostgresStoreOptions = {},
): Promise<Store> {
  await using opened = new AsyncDisposableStack()
  const sql = opened.adopt(await openPostgres(url, { ...options, report }), closed)
  await assertNotMoving(sql)
  const punctual = opened.adopt(connectPostgres(url, punctualOptions), closed)
  const createClient = () => new Client(listenOptions(listenUrl))
  const plain = opened.adopt(await openNotifications(createClient), closed)
  const notifications = encryptNotifications(plain, await readSecret(sql))
  const parts = { fileBytes, report, removalLeaseMs, ...options }
  const store = await createPostgresStore({ sql, punctual, notifications }, parts)
  opened.move()
  return store
}

/** The first process makes the key. It is in a table, so only users with a right to the tables can read it. */
async function readSecret(sql: PostgresSql): Promise<NotificationSecret> {
  const key = await createSharedKeys(databaseOnPostgres(sql)).of('notifications')
  const [[row] = []] = await sql.read([{ sql: 'select current_schema() as name', sets: [[]] }])
  return { key, schema: String(row?.['name']) }
}

async function closed(connections: { close(): Promise<void> }): Promise<void> {
  await connections.close()
}

/**
 * For the beats of a node, and for its leases: others take over what it does when these are late. So they have connections
 * of their own, and a connection that does not respond is given up before the next beat but one.
 */
const punctualOptions: PostgresOptions = {
  maxConnections: 2,
  connectTimeoutMs: 4_000,
  statementTimeoutMs: 4_000,
}

function listenOptions(url: string): ClientConfig {
  return {
    connectionString: url,
    keepAlive: true,
    fallback_application_name: 'throughline',
    query_timeout: 10_000,
    connectionTimeoutMillis: 10_000,
  }
}

interface Connections {
  readonly sql: PostgresSql
  readonly punctual: PostgresSql
  readonly notifications: Notifications
}

interface PostgresParts extends PostgresLogOptions {
  readonly fileBytes: FileBytes | undefined
  readonly report: (problem: string) => void
  readonly removalLeaseMs: number
  readonly clock?: (() => number) | undefined
}

async function createPostgresStore(
  { sql, punctual, notifications }: Connections,
  { fileBytes, report, removalLeaseMs, clock, ...options }: PostgresParts,
): Promise<Store> {
  const inDatabase = postgresBytes(sql)
  const sharedClock = await readClock(punctual)
  const now = () => sharedClock.nowMs()
  const log = await createPostgresLogStore({ pool: sql.pool, notifications }, { now, ...options })
  return assembleStore(databaseOnPostgres(sql, clock), {
    log,
    punctual: databaseOnPostgres(punctual, clock),
    fileBytes:
      fileBytes === undefined ? inDatabase : withEarlierBytes(reportFailures(fileBytes, report), inDatabase),
    report,
    signals: await createPostgresSignals(notifications),
    health: watchPostgresHealth(sql),
    sizes: () => readPostgresSizes(sql),
    facts: () => postgresFacts(sql),
    lease: { holder: randomHex(16), ms: removalLeaseMs },
    clock: sharedClock,
    maxWaitMs: options.maxWaitMs ?? defaultMaxWaitMs,
    async close() {
      log.close()
      await notifications.close()
      await punctual.close()
      await sql.close()
    },
  })
}

/** The first look at the clock of the database. Every beat of a node looks again. */
async function readClock(sql: PostgresSql): Promise<SharedClock> {
  const clock = new SharedClock()
  const { dialect } = databaseOnPostgres(sql)
  const sentAt = performance.now()
  const [[row] = []] = await sql.read([{ sql: `select ${dialect.now} as now`, sets: [[]] }])
  clock.learn(Number(row?.['now']), { sentAt, receivedAt: performance.now() })
  return clock
}
