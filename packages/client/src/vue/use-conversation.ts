import { type ComputedRef, computed, onScopeDispose, shallowRef } from 'vue'
import { asChatError } from '../chat-error.ts'
import { createSession } from '../create-session.ts'
import type { QueryStoreOptions } from '../query-store.ts'
import { type ChatLine, errorLine, linesOf } from './chat-lines.ts'
import type { ChatWords } from './chat-words.ts'
import { type AgentStream, useAgentStream } from './use-agent-stream.ts'

export interface Conversation {
  /** What was said, without the answer that is being written. */
  readonly lines: ComputedRef<readonly ChatLine[]>
  /** The last query, with the answer that is being written. */
  readonly stream: AgentStream
  readonly isBusy: ComputedRef<boolean>
  /** Sends, unless it is busy. Resolves when it is answered, or has failed, which is then one of the lines. */
  send(message: string): Promise<void>
}

/** Queries one after the other, in a session that is made with the first of them. */
export function useConversation(options: QueryStoreOptions, words: () => ChatWords): Conversation {
  const stream = useAgentStream(options)
  const past = shallowRef<readonly ChatLine[]>([])
  const isStarting = shallowRef(false)
  const leaving = new AbortController()
  onScopeDispose(() => leaving.abort())
  let sessionId: string | undefined

  const current = computed(() =>
    linesOf(
      {
        toolCalls: stream.toolCalls.value,
        response: stream.response.value,
        isStreaming: stream.isStreaming.value,
        error: stream.error.value,
      },
      words(),
    ),
  )
  const lines = computed(() => [...past.value, ...current.value])
  const isBusy = computed(() => isStarting.value || stream.isStreaming.value)

  async function send(message: string): Promise<void> {
    if (isBusy.value) return
    past.value = [...lines.value, { role: 'user', content: message }]
    isStarting.value = true
    try {
      // Without a pause when there is a session: the lines of the last query are in the past now, and would show twice.
      sessionId ??= await createSession({ ...options, signal: leaving.signal })
      const answered = stream.streamQuery(message, sessionId)
      isStarting.value = false
      await answered
    } catch (error) {
      isStarting.value = false
      if (!leaving.signal.aborted) past.value = [...past.value, errorLine(asChatError(error), words())]
    }
  }

  return { lines, stream, isBusy, send }
}
