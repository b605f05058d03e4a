import { createHash } from 'node:crypto'
import type { Message } from '@throughline/protocol'

/** A message as it was sent, or as it is saved. */
export interface SentMessage extends Pick<Message, 'parts'> {
  /** The digest of the parts that were sent, when the message was edited while it waited. */
  readonly sentDigest?: string | undefined
}

/**
 * Returns whether two messages with the same id are one message. They are if they have the same parts. They also are if
 * they were sent with the same parts, and somebody has edited one of them while it waited: whoever sends such a message
 * again does not know of the edit.
 */
export function isSameMessage(one: SentMessage, other: SentMessage): boolean {
  return JSON.stringify(one.parts) === JSON.stringify(other.parts) || digestOf(one) === digestOf(other)
}

/** Returns a digest of the parts with which a message was sent. */
export function digestOf({ parts, sentDigest }: SentMessage): string {
  return sentDigest ?? createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
