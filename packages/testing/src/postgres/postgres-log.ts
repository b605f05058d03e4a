import {
  createPostgresLogStore,
  encryptNotifications,
  logOriginColumn,
  logTables,
  type NotificationSecret,
  openNotifications,
  type PostgresLogOptions,
  type PostgresLogStore,
} from '@throughline/store/testing'
import { Client, Pool } from 'pg'

/** The log of one node. */
export interface TestLogNode extends AsyncDisposable {
  readonly store: PostgresLogStore
}

export interface TestLogOptions extends PostgresLogOptions {
  /** Where the node listens for notifications. Default: the same database. */
  readonly notificationsUrl?: string
}

/** The secret of all test nodes. Their tables are those of the log alone, without the one that has the keys. */
export const testSecret: NotificationSecret = { key: Buffer.alloc(32, 'test'), schema: 'public' }

/** Creates the tables of the log in an empty database. */
export async function createLogTables(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of [...logTables, logOriginColumn]) await client.query(statement)
  await client.end()
}

/** Opens the log of one node on a database that has the tables. */
export async function openTestLog(url: string, options: TestLogOptions = {}): Promise<TestLogNode> {
  const { notificationsUrl = url } = options
  const pool = new Pool({
    connectionString: url,
    max: 6,
    connectionTimeoutMillis: 10_000,
    pipeline: true,
  })
  pool.on('error', () => undefined)
  const createClient = () => new Client({ connectionString: notificationsUrl })
  const notifications = encryptNotifications(await openNotifications(createClient), testSecret)
  const store = await createPostgresLogStore({ pool, notifications }, options)
  return {
    store,
    async [Symbol.asyncDispose]() {
      store.close()
      await notifications.close()
      await pool.end()
    },
  }
}
