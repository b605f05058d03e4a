import type { Chunk } from '@throughline/protocol/chunk'
import type { MessageId } from '@throughline/protocol/ids'
import type { MessageOutline } from '@throughline/store/messages'

/** What a change writes to the log, all of it or nothing. */
export interface Planned {
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** Works out what a change writes, from the messages as they are when nobody else can change them. */
export type PlanChange = (messages: readonly MessageOutline[]) => readonly Planned[]
