import { isRecord } from '@throughline/protocol/chunk'
import { randomHex } from '@throughline/protocol/ids'
import { type AskOptions, askJson } from './ask-json.ts'
import { ChatError } from './chat-error.ts'

/**
 * Makes a session, and returns its id. Queries with the same id are one conversation. The id is made here, so that a
 * request that was cut can be sent again without making a second session. Throws a `ChatError`, or the signal's reason.
 */
export async function createSession(options: AskOptions = {}): Promise<string> {
  const answer = await askJson('/sessions', { session_id: `chat_${randomHex(16)}` }, options)
  const { session_id: id } = isRecord(answer) ? answer : {}
  if (typeof id === 'string') return id
  throw new ChatError(
    'bad-answer',
    'The server answered without a "session_id". Check that "url" is its own.',
  )
}
