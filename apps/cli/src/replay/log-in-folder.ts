import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LogError, logName, readBetween } from '@throughline/log'
import type { ChatKey, Entry } from '@throughline/protocol'
import {
  openStore,
  openStoreAt,
  type PostgresLocation,
  SqlError,
  type Store,
  type StoreLocation,
  type StoreOptions,
} from '@throughline/store'
import { CommandError } from '../command-error.ts'

/** A chat in a data folder, or in a Postgres database. */
export interface FolderChat extends ChatKey {
  readonly folder: string
  /** Where the chat is, if it is not in the folder. */
  readonly postgres?: PostgresLocation | undefined
  /** Where the files of the server are, if they are not with the other data. */
  readonly fileBytes?: StoreOptions['fileBytes']
}

/**
 * Yields the log of a chat from the data folder of a server that does not run, or from a Postgres database, in pages.
 * Throws a `CommandError` when it cannot be opened or has no such chat.
 */
export async function* logInFolder({
  folder,
  postgres,
  fileBytes,
  ...chat
}: FolderChat): AsyncGenerator<readonly Entry[], void, undefined> {
  const store =
    postgres === undefined
      ? await openExisting(folder, fileBytes)
      : await openPostgres({ folder, postgres }, fileBytes)
  try {
    // `open` would create a log for a chat that does not exist.
    if ((await store.chats.get(chat)) === undefined)
      throw new CommandError(
        `${postgres === undefined ? folder : 'The Postgres database'} has no chat "${chat.chatId}" of the owner "${chat.ownerId}".`,
      )
    const log = logName(chat)
    const { epoch, seq: upTo } = await store.log.open(log)
    yield* readBetween(store.log, log, { after: { epoch, seq: 0 }, upTo })
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'unknown-position')) throw error
    throw new CommandError(`The beginning of the log of chat "${chat.chatId}" was trimmed: see "retention".`)
  } finally {
    await store.close()
  }
}

async function openPostgres(location: StoreLocation, fileBytes: StoreOptions['fileBytes']): Promise<Store> {
  try {
    return await openStoreAt(location, { report: () => undefined, fileBytes })
  } catch (error) {
    throw error instanceof SqlError ? new CommandError(`DATABASE_URL: ${error.message}`) : error
  }
}

async function openExisting(folder: string, fileBytes: StoreOptions['fileBytes']): Promise<Store> {
  if (!existsSync(join(folder, 'throughline.sqlite')))
    throw new CommandError(
      `There is no data in ${folder}. Name the folder with --data, or a server with --url.`,
    )
  try {
    return await openStore(folder, { fileBytes })
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    if (error.code !== 'in-use') throw new CommandError(error.message)
    throw new CommandError(
      `A server is running on the data in ${folder}, and only one process can open it. Read the log from that server: throughline replay CHAT --url http://127.0.0.1:4000`,
    )
  }
}
