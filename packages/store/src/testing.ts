// The door for tests: what the tests, the benches and the torture of other packages use, beside the public doors.
// It is not published.

export { databaseOnPostgres, databaseOnSqlite, type StoreDatabase } from './database/database.ts'
export { type Migration, migrations } from './database/migrations.ts'
export { logOriginColumn, logTables } from './database/postgres-log-tables.ts'
export type { FileBytes } from './file-bytes/file-bytes.ts'
export type { MessageToSave } from './messages/messages.ts'
export type { NodeBeat } from './nodes/nodes.ts'
export { createSignals } from './nodes/signals.ts'
export { openPostgresStore } from './open/open-postgres-store.ts'
export { createStore, type Store } from './open/open-store.ts'
export {
  createPostgresLogStore,
  type PostgresLogOptions,
  type PostgresLogStore,
} from './postgres/log/postgres-log-store.ts'
export { migratePostgres } from './postgres/migrate-postgres.ts'
export {
  encryptNotifications,
  type NotificationSecret,
} from './postgres/notifications/encrypted-notifications.ts'
export { openNotifications } from './postgres/notifications/notifications.ts'
export { connectPostgres, openPostgres } from './postgres/open-postgres.ts'
export type { ApprovalRecord } from './runs/approvals.ts'
export { type DatabasePort, openInThread, openSqlite, type SqliteThread } from './sqlite/open-sqlite.ts'
export { serveDatabase } from './sqlite/serve-database.ts'
