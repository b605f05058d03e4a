import { createChatApi, errorFrom } from '@throughline/client'
import { type ChatId, parsePosition } from '@throughline/protocol'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { addressOf, basePath } from '../../base-path.ts'
import { serverFetch } from '../../server-fetch.ts'
import { accessHeaders } from '../../settings/access.ts'
import { inPieces } from './in-pieces.ts'
import { LogReader, type LogSource, type ReadLog } from './log-reader.ts'

/** Returns the log of a chat as far as it was read, and follows it. */
export function useLog(chatId: ChatId): ReadLog {
  const reader = useMemo(() => new LogReader(sourceOf(chatId)), [chatId])
  useEffect(() => {
    const reading = new AbortController()
    void reader.read(reading.signal)
    return () => reading.abort()
  }, [reader])
  return useSyncExternalStore(reader.subscribe, reader.getSnapshot)
}

function sourceOf(chatId: ChatId): LogSource {
  const { logUrl, request } = createChatApi(chatId, {
    url: basePath,
    headers: accessHeaders,
    fetch: serverFetch,
  })
  return {
    logUrl,
    request: async (address, init) => inPieces(await request(address, init)),
    async end(signal) {
      const response = await request(addressOf(`/api/chats/${chatId}/messages?limit=1`), { signal })
      if (response.status === 404) return undefined
      if (!response.ok) throw await errorFrom(response)
      const { position } = await response.json()
      return parsePosition(String(position))
    },
  }
}
