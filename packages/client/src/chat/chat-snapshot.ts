import type { ChatState, Message } from '@throughline/protocol'
import { listToArray } from '@throughline/protocol/internal'
import type { ChatError } from '../http/chat-error.ts'

/**
 * `loading`: the messages are not there yet. `ready`: a person can write. `submitted`: a message was sent, and its
 * answer has not begun. `streaming`: an answer is being written.
 */
export type ChatStatus = 'loading' | 'ready' | 'submitted' | 'streaming'

/** What a page shows of a chat. It is a new object exactly when something in it has changed. */
export interface ChatSnapshot {
  /**
   * The messages of the branch that is shown, in order. A message that has not changed is the same object as before.
   */
  readonly messages: readonly Message[]
  /** For each message that was edited or answered again: the ids of all its versions, oldest first. */
  readonly versions: ReadonlyMap<string, readonly string[]>
  /** What the chat is doing. See `ChatStatus`. */
  readonly status: ChatStatus
  /**
   * The connection to the server. When it is `lost`, the chat tries to get it back, unless `error` says that it cannot.
   */
  readonly connection: 'connecting' | 'open' | 'lost'
  /** What went wrong last: with loading, with following, or with something that the person did. */
  readonly error: ChatError | undefined
  /**
   * The messages that could not be sent, by message id, and why. They stay in `messages`; `retry` sends them again. With
   * an outbox, a message whose error is temporary is sent again by itself.
   */
  readonly unsent: ReadonlyMap<string, ChatError>
  /** The messages on their way to the queue of the server: they were sent while an answer was being written. */
  readonly queued: readonly Message[]
}

/** Returns whether two snapshots have the same contents. */
export function isSameSnapshot(one: ChatSnapshot, other: ChatSnapshot): boolean {
  return isSameList(one.messages, other.messages) && isSameList(contentsOf(one), contentsOf(other))
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((each, index) => each === other[index]))
}

/** Returns everything in a snapshot but its messages as one flat list, so that maps can be compared by their items. */
function contentsOf({ messages: _, versions, unsent, queued, ...rest }: ChatSnapshot): readonly unknown[] {
  return [...Object.values(rest), ...[...unsent, ...versions].flat(2), queued.length, ...queued]
}

/** Returns the status of a loaded chat. Looks no further back than the last user message: older answers have ended. */
export function statusOf(chat: ChatState): ChatStatus {
  const { records, found } = lastActivity(chat)
  if (found?.metadata?.status === 'streaming') return 'streaming'
  // A message with a run id came from the log, not from the store, so its answer is about to begin. A message from the
  // store may have lost its answer. A message to a person gets no answer from an agent.
  const isAwaited = found?.metadata?.communicationType !== 'user-to-user'
  return found?.runId && isAwaited && found === records.at(-1) ? 'submitted' : 'ready'
}

/** Returns the run whose answer is being written or awaited; `undefined` when there is none, or its id is not known here. */
export function activeRunOf(chat: ChatState): string | undefined {
  return statusOf(chat) === 'ready' ? undefined : lastActivity(chat).found?.runId
}

function lastActivity(chat: ChatState) {
  const records = listToArray(chat.messages.items)
  const found = records.findLast(({ role, metadata }) => role === 'user' || metadata?.status === 'streaming')
  return { records, found }
}

/** Where the name of a sender can come from when the message itself has none. */
export interface NameSources {
  /** The agents of the server, to find the display name of an agent. */
  readonly agents?: readonly { readonly name: string; readonly displayName: string }[]
  /** The agent that the person has chosen. It is assumed until the message itself names one. */
  readonly selectedAgent?: string | undefined
  /** The word for an agent without a name, such as "Agent" or "智能体". */
  readonly fallback: string
}

/** Returns whether an agent wrote this message, and not a person. Works before the message has its metadata, too. */
export function isAgentMessage({ role, metadata }: Message, selectedAgent?: string): boolean {
  if (metadata?.communicationType !== undefined) return metadata.communicationType.startsWith('agent-')
  return (
    role === 'assistant' &&
    selectedAgent !== undefined &&
    selectedAgent !== '' &&
    !selectedAgent.startsWith('user::')
  )
}

/** Returns the name of the message's sender. An empty name counts as no name. */
export function senderNameOf(
  { metadata }: Pick<Message, 'metadata'>,
  { agents = [], selectedAgent, fallback }: NameSources,
): string {
  const displayName = (name: string | undefined) => agents.find(agent => agent.name === name)?.displayName
  const used = metadata?.agentUsed
  return (
    metadata?.senderName ||
    displayName(used) ||
    used ||
    displayName(selectedAgent) ||
    selectedAgent ||
    fallback
  )
}
