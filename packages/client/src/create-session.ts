import { asChatError, ChatError } from './chat-error.ts'
import { postJson, type RequestOptions } from './post-json.ts'
import { watchStall } from './watch-stall.ts'

/** Makes a session, and answers its id. Queries with the same id are one conversation. */
export async function createSession(
  options: RequestOptions & { readonly idleMs?: number | undefined } = {},
): Promise<string> {
  const { signal = new AbortController().signal, idleMs = 60_000 } = options
  const watch = watchStall(signal, idleMs)
  try {
    signal.throwIfAborted()
    const response = await postJson('/sessions', {}, { ...options, signal: watch.signal })
    return sessionIdIn(await response.json().catch(() => undefined))
  } catch (error) {
    signal.throwIfAborted()
    throw asChatError(error)
  } finally {
    watch.stop()
  }
}

function sessionIdIn(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'session_id' in answer) {
    if (typeof answer.session_id === 'string') return answer.session_id
  }
  throw new ChatError(
    'bad-answer',
    'The server answered without a "session_id". Check that "url" is its own.',
  )
}
