import { asChatError, createChatApi, receive } from '@throughline/client'
import type { ChatId, Entry } from '@throughline/protocol'
import { CommandError } from '../command-error.ts'
import type { ServerAddress } from '../server-address.ts'

/** Yields the log of a chat from a server, up to its present end, in pages. Throws a `CommandError` when that fails. */
export async function* logOfServer(
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
