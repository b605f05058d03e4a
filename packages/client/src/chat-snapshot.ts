import type { ChatState } from '@throughline/protocol/chat-state'
import { listToArray } from '@throughline/protocol/list'
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
  const before = contentsOf(one)
  const after = contentsOf(other)
  return before.length === after.length && before.every((each, index) => each === after[index])
}

/** All that is in a snapshot, in a row: lists and maps are the same when what is in them is. */
function contentsOf({ messages, versions, unsent, ...rest }: ChatSnapshot): readonly unknown[] {
  return [...Object.values(rest), ...[...unsent, ...versions].flat(2), ...messages]
}

/** How a loaded chat stands. Looks back to the last user message only: what stands before it has ended. */
export function statusOf(chat: ChatState): ChatStatus {
  const records = listToArray(chat.messages.items)
  const found = records.findLast(({ role, metadata }) => role === 'user' || metadata?.status === 'streaming')
  if (found?.metadata?.status === 'streaming') return 'streaming'
  // The log has just brought the message, so its answer begins next. One from history may have lost its answer, and
  // one to a person gets none from us.
  const isAwaited = found?.metadata?.communicationType !== 'user-to-user'
  return found?.runId && isAwaited && found === records.at(-1) ? 'submitted' : 'ready'
}
