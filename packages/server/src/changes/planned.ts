import type { Chunk, MessageId } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'

/** One entry of a change. All entries of a change are written at once, or none. */
export interface Planned {
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** Returns the entries that a change writes. It is given the messages while nobody else can change them. */
export type PlanChange = (messages: readonly MessageOutline[]) => readonly Planned[]
