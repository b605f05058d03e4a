import { isRecord, randomHex } from '@throughline/protocol'
import { type AskOptions, askJson } from '../http/ask-json.ts'
import { ChatError } from '../http/chat-error.ts'

/**
 * Creates a session and returns its id. Queries with the same session id are one conversation. The id is made here, not
 * at the server. So the request is idempotent: sending it again after a broken connection creates no second session.
 * Throws a `ChatError`, or the signal's reason.
 */
export async function createSession(options: AskOptions = {}): Promise<string> {
  const body = await askJson('/sessions', { session_id: `chat_${randomHex(16)}` }, options)
  const { session_id: id } = isRecord(body) ? body : {}
  if (typeof id === 'string') return id
  throw new ChatError('bad-data', 'The server responded without a "session_id". Check that "url" is its own.')
}
