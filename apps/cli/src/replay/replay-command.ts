import { once } from 'node:events'
import { type Entry, idRule, isChatId, isOwnerId } from '@throughline/protocol'
import type { PostgresLocation } from '@throughline/store'
import { CommandError } from '../command-error.ts'
import { bucketOfServer } from '../open-bucket.ts'
import { readOptions } from '../options.ts'
import { serverAddress, serverOptions } from '../server-address.ts'
import { SettingError } from '../setting-error.ts'
import { postgresFromEnv } from '../settings.ts'
import { hasColours, type Output, type Shell } from '../shell.ts'
import { painter } from '../text/look.ts'
import { logInFolder } from './log-in-folder.ts'
import { logOfServer } from './log-of-server.ts'
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
