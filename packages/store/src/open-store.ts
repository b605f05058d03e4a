import { join } from 'node:path'
import type { LogStore } from '@throughline/log'
import { type Approvals, createApprovals } from './approvals.ts'
import { type ChannelChats, createChannelChats } from './channel-chats.ts'
import { createChatRemovals } from './chat-removals.ts'
import { type Chats, createChats } from './chats.ts'
import { createRuns } from './create-runs.ts'
import { databaseName } from './database-name.ts'
import { createDefinitions, type Definitions } from './definitions.ts'
import { createDueTrims, type DueTrims } from './due-trims.ts'
import { createFiles, type Files } from './files.ts'
import { hideRemovedMessages } from './hide-removed.ts'
import { createMessages, type Messages } from './messages.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { openPrivateFolder, type PrivateFolderOptions } from './private-folder.ts'
import type { Runs } from './runs.ts'
import { sqliteDatabase } from './schema.ts'
import { openSqlite, type SqliteOptions, type SqliteThread } from './sqlite/open-sqlite.ts'
import { createSqliteLogStore } from './sqlite/sqlite-log-store.ts'
import { type StoreHealth, watchHealth } from './store-health.ts'
import { readSizes, type StoreSizes } from './store-sizes.ts'
import { watchFiles } from './watched-files.ts'

/** Everything that is kept when the process ends. One process at a time can have it open. */
export interface Store {
  readonly chats: Chats
  readonly messages: Messages
  readonly runs: Runs
  readonly approvals: Approvals
  readonly files: Files
  readonly definitions: Definitions
  readonly channelChats: ChannelChats
  readonly outbox: Outbox
  readonly dueTrims: DueTrims
  readonly log: LogStore
  /** Returns whether the store can be written. The result may be up to a second old. Never rejects. */
  health(): Promise<StoreHealth>
  /** Returns how much room the database takes on the disk. Cheap: no rows are read. */
  sizes(): Promise<StoreSizes>
  /** Closes the database. Close what uses the store first. */
  close(): Promise<void>
}

/**
 * Opens the store in a folder. Creates the folder and the database if they do not exist. Other users of the machine cannot
 * read them; `report` is called with what they may still read. Throws an `SqlError`: `in-use` when another process has the
 * database open, `newer-schema` when a newer version of Throughline has written it.
 */
export async function openStore(
  folder: string,
  { report = () => undefined, ...options }: Partial<PrivateFolderOptions> & SqliteOptions = {},
): Promise<Store> {
  await openPrivateFolder(folder, databaseName, { report })
  return createStore(await openSqlite(join(folder, databaseName), options), folder, { report })
}

/** Makes the store of a folder from its database, which is open. */
export async function createStore(
  thread: SqliteThread,
  folder: string,
  { report }: PrivateFolderOptions,
): Promise<Store> {
  const path = join(folder, databaseName)
  // The newest writes are in the -wal file. Without it they are lost too.
  const health = watchHealth(thread, { folder, files: await watchFiles([path, `${path}-wal`]) })
  const database = sqliteDatabase(thread)
  const files = createFiles(database, join(folder, 'files'))
  const log = createSqliteLogStore(thread)
  const removals = createChatRemovals(database, { files, log, report })
  await removals.resume()
  return {
    chats: createChats(database, removals),
    messages: hideRemovedMessages(createMessages(database), removals),
    runs: createRuns(database, removals),
    approvals: createApprovals(database),
    files,
    definitions: createDefinitions(database),
    channelChats: createChannelChats(database, removals),
    outbox: createOutbox(database),
    dueTrims: createDueTrims(database),
    log,
    health,
    sizes: () => readSizes(thread, path),
    async close() {
      await thread.close()
      await removals.close()
    },
  }
}
