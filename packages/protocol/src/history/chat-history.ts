import type { Message } from '../message/message.ts'

/**
 * Everything that is known about one chat after a disturbance, or after a load: what was asked, what viewers saw, what tools
 * did and a channel showed, and what the server has in the end. The checks need nothing else. What nobody has written down
 * is left out, and is not checked.
 *
 * All bytes are texts in latin1: one character is one byte. All times are in milliseconds of one clock that never goes back,
 * such as `performance.now()` of the process that sent the messages and read the streams.
 */
export interface ChatHistory {
  readonly chatId: string
  /** What the server has in the end, when nothing goes on any more. */
  readonly saved?: SavedChat
  readonly submissions?: readonly SentSubmission[]
  readonly viewers?: readonly Viewer[]
  readonly loads?: readonly Load[]
  readonly stops?: readonly Stop[]
  readonly effects?: readonly Effect[]
  /** In the order in which they came. */
  readonly posts?: readonly PostedBlock[]
  /** Whether the database may have lost what it had acknowledged. Default: false. */
  readonly mayLose?: boolean
}

/** A chat as its server has it. */
export interface SavedChat {
  /** The bytes of the whole log, from its first entry, as the route of the log sends them. */
  readonly log: string
  /** The chat's messages, of all branches and of sub-agents. */
  readonly messages: readonly Message[]
  /** Whether the server says that a run goes on. */
  readonly isRunning: boolean
}

/** A message that was sent, once or several times. */
export interface SentSubmission {
  readonly messageId: string
  readonly text: string
  /** What the agent says if nothing disturbs it. `undefined` when that is not known. */
  readonly said: string | undefined
  /** When it was sent for the first time. */
  readonly sentAt?: number
  /** Every 202 that came back. None: the sender does not know whether the server has the message. */
  readonly accepted: readonly Accepted[]
}

/** What a 202 says. */
export interface Accepted {
  readonly runId: string
  readonly responseMessageId: string
  /** When it came back. */
  readonly at?: number
}

/** Somebody who follows a chat, on one connection after the other. */
export interface Viewer {
  /**
   * In their order. After one that ended with a reset, or because the chat was gone, the next one begins at the position of
   * the chat that the viewer has loaded then.
   */
  readonly sightings: readonly Sighting[]
  /** Whether the viewer was there, or came back, when nothing went on any more. */
  readonly hasStayed: boolean
}

/** What a viewer got on one connection. */
export interface Sighting {
  /** The position after which the viewer asked to follow the log. */
  readonly after: string
  /** The body of the response as far as it came. A reset is its last event. */
  readonly bytes: string
  /** Whether the server said that there is no such chat. */
  readonly isGone?: boolean
  /** When the bytes came. */
  readonly arrivals?: readonly Arrival[]
}

/** A moment at which a viewer got more. */
export interface Arrival {
  readonly at: number
  /** How many bytes of the body it had then. */
  readonly length: number
}

/** The chat as somebody has loaded it, maybe while an answer was being written. */
export interface Load {
  /** The position that belongs to the messages: whoever follows the log from there misses nothing. */
  readonly position: string
  /** The chat's messages, of all branches and of sub-agents. */
  readonly messages: readonly Message[]
  /** When it was asked for. */
  readonly askedAt?: number
  /** When it came. */
  readonly at?: number
}

/** A stop that was answered. */
export interface Stop {
  /** The user's message whose run was to be stopped. */
  readonly messageId: string
  readonly result: string
  /** Milliseconds from the request to the response. */
  readonly ms: number
  /** When the response came. */
  readonly at?: number
}

/** One time that a tool did its work. */
export interface Effect {
  readonly tool: string
  readonly runId: string
  /** Which call of the run it is, by the plan of the model. */
  readonly task: string
  readonly idempotencyKey: string
  /** Whether the tool may do the same task again under the same key. */
  readonly isIdempotent: boolean
}

/** A block of an answer that a channel has posted. */
export interface PostedBlock {
  /** A receiver does not show a block again whose key it knows. */
  readonly key: string
  readonly text: string
}

/** The death of a node, or the beginning of a pause. */
export interface Death {
  readonly node: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** A change of the owner of a run: another node has it, or it has ended. */
export interface OwnerChange {
  readonly runId: string
  readonly chatId: string
  /** The node that has the run; `null` when no node has it. */
  readonly node: string | null
  readonly status: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** Something that must never happen, and did. */
export interface Violation {
  readonly kind: 'lost' | 'doubled' | 'wrong-bytes' | 'left-running' | 'stale' | 'other'
  /** The invariant that is broken, such as `A2`. */
  readonly invariant: string
  readonly chatId: string
  readonly detail: string
}

/** A violation before it is known of which chat it is. */
export type Finding = Omit<Violation, 'chatId'>
