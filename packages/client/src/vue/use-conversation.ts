import { type ComputedRef, computed, onScopeDispose, shallowRef } from 'vue'
import type { QueryStoreOptions } from '../events/query-store.ts'
import { createSession } from '../events/session-requests.ts'
import { asChatError } from '../http/chat-error.ts'
import { type ChatLine, endLinesOf, errorLine, toolLinesOf } from './chat-lines.ts'
import type { ChatWords } from './chat-words.ts'
import { type AgentStream, useAgentStream } from './composables.ts'

/** The conversation that `ChatInterface` shows. */
export interface ShownConversation {
  /** All lines, without the answer that is being written. */
  readonly lines: ComputedRef<readonly ChatLine[]>
  /** The last query, with the answer that is being written. */
  readonly stream: AgentStream
  /** Whether an answer is awaited or being written. */
  readonly isBusy: ComputedRef<boolean>
  /** Whether the answer is being stopped, and its end has not come yet. */
  readonly isStopping: ComputedRef<boolean>
  /** Sends a message, unless it is busy. Resolves when the answer has ended. An error becomes one of the lines. */
  send(message: string): Promise<void>
  /** Stops the answer. The second call stops waiting for its end. */
  cancel(): void
}

/** Asks one query after the other. The first one creates the session, which all of them share. */
export function useConversation(options: () => QueryStoreOptions, words: () => ChatWords): ShownConversation {
  const stream = useAgentStream(options)
  const past = shallowRef<readonly ChatLine[]>([])
  const starting = shallowRef<AbortController>()
  const hasCancelled = shallowRef(false)
  onScopeDispose(() => starting.value?.abort())
  let sessionId: string | undefined

  const { toolCalls, approvals, isStreaming, response, cutShort, error, statusText } = stream
  // Computed apart from the answer's text, which changes all the time.
  const toolLines = computed(() =>
    toolLinesOf(
      { toolCalls: toolCalls.value, approvals: approvals.value, isStreaming: isStreaming.value },
      words(),
    ),
  )
  const endLines = computed(() =>
    endLinesOf(
      {
        response: isStreaming.value ? '' : response.value,
        isStreaming: isStreaming.value,
        cutShort: cutShort.value,
        error: error.value,
        statusText: statusText.value,
      },
      words(),
    ),
  )
  const lines = computed(() => [...past.value, ...toolLines.value, ...endLines.value])
  const isBusy = computed(() => starting.value !== undefined || isStreaming.value)
  const isStopping = computed(() => hasCancelled.value && isStreaming.value)

  async function send(message: string): Promise<void> {
    if (isBusy.value) return
    past.value = [...lines.value, { role: 'user', content: message }]
    hasCancelled.value = false
    const controller = new AbortController()
    const { signal } = controller
    starting.value = controller
    try {
      // Must not wait when there is a session already. The lines of the last query were moved to `past`, and until the
      // next query begins they would show twice.
      sessionId ??= await createSession({ ...options(), signal })
      const ended = stream.streamQuery(message, sessionId)
      starting.value = undefined
      await ended
    } catch (failure) {
      starting.value = undefined
      if (!signal.aborted) past.value = [...past.value, errorLine(asChatError(failure), words())]
    }
  }

  function cancel(): void {
    starting.value?.abort()
    if (isStopping.value) stream.abort()
    hasCancelled.value = true
    void stream.stop()
  }

  return { lines, stream, isBusy, isStopping, send, cancel }
}
