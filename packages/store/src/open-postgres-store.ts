import { randomHex } from '@throughline/protocol'
import { Client } from 'pg'
import { assembleStore } from './assemble-store.ts'
import { withEarlierBytes } from './file-bytes/earlier-bytes.ts'
import type { FileBytes } from './file-bytes/file-bytes.ts'
import { postgresBytes } from './file-bytes/postgres-bytes.ts'
import { reportFailures } from './file-bytes/reported-bytes.ts'
import { assertNotMoving } from './move/unfinished-move.ts'
import { openNotifications } from './postgres/notifications.ts'
import { openPostgres, type PostgresOptions, type PostgresSql } from './postgres/open-postgres.ts'
import { watchPostgresHealth } from './postgres/postgres-health.ts'
import { createPostgresLogStore, type PostgresLogOptions } from './postgres/postgres-log-store.ts'
import { createPostgresSignals } from './postgres/postgres-signals.ts'
import { postgresDatabase } from './schema.ts'
import type { Store } from './store.ts'
import { readPostgresSizes } from './store-sizes.ts'

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
   * After a process that removes a chat has given no sign of life for so long, another one goes on, in milliseconds.
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
  const sql = await openPostgres(url, { ...options, report })
  try {
    await assertNotMoving(sql)
    return await createPostgresStore(sql, { fileBytes, report, listenUrl, removalLeaseMs, ...options })
  } catch (error) {
    await sql.close()
    throw error
  }
}

interface StoreParts extends PostgresLogOptions {
  readonly fileBytes: FileBytes | undefined
  readonly report: (problem: string) => void
  readonly listenUrl: string
  readonly removalLeaseMs: number
  readonly clock?: (() => number) | undefined
}

async function createPostgresStore(
  sql: PostgresSql,
  { fileBytes, report, listenUrl, removalLeaseMs, clock, ...options }: StoreParts,
): Promise<Store> {
  const inDatabase = postgresBytes(sql)
  const notifications = await openNotifications(
    () =>
      new Client({ connectionString: listenUrl, keepAlive: true, fallback_application_name: 'throughline' }),
  )
  const log = await createPostgresLogStore({ pool: sql.pool, notifications }, options)
  return assembleStore(postgresDatabase(sql, clock), {
    log,
    fileBytes:
      fileBytes === undefined ? inDatabase : withEarlierBytes(reportFailures(fileBytes, report), inDatabase),
    report,
    signals: await createPostgresSignals(notifications),
    health: watchPostgresHealth(sql),
    sizes: () => readPostgresSizes(sql),
    lease: { holder: randomHex(16), ms: removalLeaseMs },
    async close() {
      log.close()
      await notifications.close()
      await sql.close()
    },
  })
}
