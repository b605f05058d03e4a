import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asChatError, createChatApi, receive } from '@throughline/client'
import { LogError, logName, readBetween } from '@throughline/log'
import { type ChatId, type ChatKey, type Entry, idRule, isChatId, isOwnerId } from '@throughline/protocol'
import {
  openStore,
  openStoreAt,
  type PostgresLocation,
  SqlError,
  type Store,
  type StoreLocation,
  type StoreOptions,
} from '@throughline/store'
import { bucketOfServer } from '../settings/bucket.ts'
import { SettingError } from '../settings/setting-error.ts'
import { postgresFromEnv } from '../settings/settings.ts'
import { CommandError, readOptions } from '../shell/command.ts'
import { type ServerAddress, serverAddress, serverOptions } from '../shell/server-address.ts'
import { hasColours, type Output, type Shell } from '../shell/shell.ts'
import { painter } from '../text/look.ts'
import { replayLines } from './replay-lines.ts'

/** Prints the log of a chat with its times: from a server, or from the data folder of a server that does not run. */
export async function replayCommand(words: readonly string[], shell: Shell): Promise<number> {
  const { values, positionals } = readOptions('replay', words, {
    ...serverOptions,
    data: { type: 'string' },
    owner: { type: 'string' },
    json: { type: 'boolean' },
  })
  const pages = pagesFrom(positionals, values, shell.env)
  const { output } = shell
  const lines =
    values.json === true
      ? jsonLines(pages)
      : replayLines(pages, { paint: painter(hasColours(shell)), columns: output.columns })
  for await (const line of lines) await writeLine(output, line)
  return 0
}

interface Values {
  readonly url?: string
  readonly token?: string
  readonly data?: string
  readonly owner?: string
}

function pagesFrom(
  [chatId, ...more]: readonly string[],
  values: Values,
  env: Shell['env'],
): AsyncIterable<readonly Entry[]> {
  if (chatId === undefined || more.length > 0)
    throw new CommandError('Name one chat: throughline replay CHAT. See "throughline help replay".')
  if (!isChatId(chatId)) throw new CommandError(`"${chatId}" is no chat id. ${idRule}.`)
  const { url, data, owner = 'local' } = values
  if (url !== undefined) {
    if (data !== undefined) throw new CommandError('Use either --data or --url, not both.')
    if (values.owner !== undefined)
      throw new CommandError('--owner goes with --data: a server knows by the token whose chats to show.')
    return logOfServer(serverAddress(values, env), chatId)
  }
  if (!isOwnerId(owner)) throw new CommandError(`--owner: "${owner}" is no owner. ${idRule}.`)
  return logInFolder({
    folder: data ?? (env['THROUGHLINE_DATA'] || './data'),
    postgres: data === undefined ? postgresOf(env) : undefined,
    ownerId: owner,
    chatId,
    fileBytes: bucketOfServer(env),
  })
}

function postgresOf(env: Shell['env']): PostgresLocation | undefined {
  try {
    return postgresFromEnv(env)
  } catch (error) {
    throw error instanceof SettingError ? new CommandError(error.message) : error
  }
}

async function* jsonLines(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<string, void, undefined> {
  for await (const entries of pages) for (const entry of entries) yield JSON.stringify(entry)
}

/** Writes a line. Waits when the reader is slow (back pressure): a log can be long. */
async function writeLine(output: Output, line: string): Promise<void> {
  if (!output.write(`${line}\n`)) await once(output, 'drain')
}

/** Yields the log of a chat from a server, up to its present end, in pages. Throws a `CommandError` when that fails. */
async function* logOfServer(
  { url, headers }: ServerAddress,
  chatId: ChatId,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const ending = new AbortController()
  const { signal } = ending
  const api = createChatApi(chatId, { url, headers: () => headers })
  try {
    const chat = await api.load(signal)
    if (chat === undefined) throw new CommandError(`${url} has no chat "${chatId}" that you may see.`)
    const { epoch, seq: last } = chat.position
    if (last === 0) return
    const after = { epoch, seq: 0 }
    for await (const received of receive({ url: api.logUrl, after, signal, request: api.request })) {
      if (received.type === 'disconnected') throw received.error
      if (received.type === 'reset')
        throw new CommandError(
          'The beginning of this log is not kept any more: it was trimmed, or the chat was deleted in the meantime.',
        )
      if (received.type !== 'entries') continue
      yield received.entries.filter(({ seq }) => seq <= last)
      if ((received.entries.at(-1)?.seq ?? 0) >= last) return
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${url}: ${asChatError(error).message}`)
  } finally {
    ending.abort()
  }
}

/** A chat in a data folder, or in a Postgres database. */
interface FolderChat extends ChatKey {
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
async function* logInFolder({
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
