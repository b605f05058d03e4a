import { createChat } from '@throughline/client'
import { accessHeaders } from '../server/access.ts'
import { basePath } from '../server/base-path.ts'
import { serverFetch } from '../server/server-fetch.ts'
import { browserOutbox, chatsWithKeptMessages } from './browser-outbox.ts'

/**
 * Sends the messages that were written while the server was away, in all chats but the one that is shown: that one sends
 * its own. A chat is closed again as soon as nothing of it waits.
 */
export function sendKeptMessages(shown: string | undefined): void {
  for (const chatId of chatsWithKeptMessages()) {
    if (chatId === shown) continue
    const outbox = browserOutbox(chatId)
    const chat = createChat({ chatId, url: basePath, fetch: serverFetch, headers: accessHeaders, outbox })
    const closeWhenSent = () => {
      const isRefused = [...chat.getSnapshot().unsent.values()].some(error => !error.isTemporary)
      if (isRefused || outbox.load().length === 0) chat.close()
    }
    chat.subscribe(closeWhenSent)
    chat.open()
  }
}
