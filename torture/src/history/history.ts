import type { Message } from '@throughline/protocol/message'

/**
 * Everything that is known about one chat after a disturbance: what was asked, what viewers saw, and what the server
 * has in the end. The checks need nothing else. All bytes are texts in latin1: one character is one byte.
 */
export interface ChatHistory {
  readonly chatId: string
  /** The bytes of the whole log in the end, from its first entry, as the route of the log sends them. */
  readonly log: string
  /** The chat's messages in the end, of all branches. */
  readonly messages: readonly Message[]
  readonly submissions: readonly Submission[]
  readonly sightings: readonly Sighting[]
  /** What viewers who stayed until the end saw, over all their connections. */
  readonly viewers: readonly Sighting[]
  readonly stops: readonly Stop[]
  /** Whether the server says in the end that a run goes on in this chat. */
  readonly isRunning: boolean
}

/** A message that was sent, once or several times. */
export interface Submission {
  readonly messageId: string
  readonly text: string
  /** What the agent says if nothing disturbs it. `undefined` when that is not known. */
  readonly said: string | undefined
  /** Every 202 that came back. None: the sender does not know whether the server has the message. */
  readonly accepted: readonly Accepted[]
}

/** What a 202 says. */
export interface Accepted {
  readonly runId: string
  readonly responseMessageId: string
}

/** What a viewer got on one connection. */
export interface Sighting {
  /** The position after which the viewer asked to follow the log. */
  readonly after: string
  /** The body of the response as far as it came. */
  readonly bytes: string
}

/** A stop that was answered. */
export interface Stop {
  /** The user's message whose run was to be stopped. */
  readonly messageId: string
  readonly result: string
  /** Milliseconds from the request to the response. */
  readonly ms: number
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
