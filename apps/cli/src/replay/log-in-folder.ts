import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { logName } from '@throughline/log/log-store'
import type { Entry } from '@throughline/protocol/entry'
import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import { openStore, type Store } from '@throughline/store/open-store'
import { SqlError } from '@throughline/store/sql'
import { CommandError } from '../command-error.ts'

export interface FolderChat {
  readonly folder: string
  readonly ownerId: OwnerId
  readonly chatId: ChatId
}

const pageSize = 500

/** A chat's log from its first entry to its last, a page at a time, from the data of a server that does not run. */
export async function* logInFolder({
  folder,
  ownerId,
  chatId,
}: FolderChat): AsyncGenerator<readonly Entry[], void, undefined> {
  const store = await openExisting(folder)
  try {
    // Opening the log of a chat that is not there would make one.
    if ((await store.chats.get({ ownerId, chatId })) === undefined)
      throw new CommandError(`${folder} has no chat "${chatId}" of the owner "${ownerId}".`)
    const log = logName({ ownerId, chatId })
    const { epoch, seq: last } = await store.log.open(log)
    for (let seq = 0; seq < last; ) {
      const entries = await store.log.read(log, { epoch, seq }, pageSize)
      yield entries
      seq = entries.at(-1)?.seq ?? last
    }
  } finally {
    await store.close()
  }
}

async function openExisting(folder: string): Promise<Store> {
  if (!existsSync(join(folder, 'throughline.sqlite')))
    throw new CommandError(
      `There is no data in ${folder}. Name the folder with --data, or a server with --url.`,
    )
  try {
    return await openStore(folder)
  } catch (error) {
    if (!(error instanceof SqlError)) throw error
    if (error.code !== 'in-use') throw new CommandError(error.message)
    throw new CommandError(
      `A server works with the data in ${folder}, and nobody else can open it meanwhile. Ask the server: throughline replay CHAT --url http://127.0.0.1:4000`,
    )
  }
}
