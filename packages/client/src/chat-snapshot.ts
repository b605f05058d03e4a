import type { ChatState } from '@throughline/protocol/chat-state'
import { keyedGet } from '@throughline/protocol/keyed-list'
import type { Message } from '@throughline/protocol/message'
import type { ChatError } from './chat-error.ts'

export type ChatStatus = 'loading' | 'ready' | 'submitted' | 'streaming'

/** What a page shows. A new object when, and only when, something in it has changed. */
export interface ChatSnapshot {
  /** Each id once, in order; a message that has not changed is the same object as before. */
  readonly messages: readonly Message[]
  /** For each message that has been edited or answered anew: the ids of all its versions, oldest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>
  readonly status: ChatStatus
  readonly connection: 'connecting' | 'open' | 'lost'
  /** Why messages could not be loaded or followed. */
  readonly error: ChatError | undefined
  /** What the person sent and did not reach the server, by message id, and why. Messages stay in `messages`. */
  readonly unsent: ReadonlyMap<string, ChatError>
}

export function isSameSnapshot(one: ChatSnapshot, other: ChatSnapshot): boolean {
  return (
    one.status === other.status &&
    one.connection === other.connection &&
    one.error === other.error &&
    one.unsent === other.unsent &&
    one.versions.size === other.versions.size &&
    [...one.versions].every(([id, ids]) => other.versions.get(id)?.length === ids.length) &&
    one.messages.length === other.messages.length &&
    one.messages.every((message, index) => message === other.messages[index])
  )
}

/** How a loaded chat stands. Looks back to the last user message only: what stands before it has ended. */
export function statusOf({ messages }: ChatState): ChatStatus {
  const last = messages.items.size - 1
  for (let index = last; index >= 0; index -= 1) {
    const record = keyedGet(messages, index)
    if (record?.metadata?.status === 'streaming') return 'streaming'
    if (record?.role !== 'user') continue
    // The log has just brought the message, so its answer begins next. One from history may have lost its answer.
    return index === last && record.runId !== undefined ? 'submitted' : 'ready'
  }
  return 'ready'
}
