import type { Message } from '@throughline/protocol/message'
import type { Look } from '../text/look.ts'

/** Whose words these are. */
export interface Speaker {
  readonly id: string
  readonly role: Message['role']
  readonly name: string
  /** 0 for a person and for the agent that answers; more for those it asks. */
  readonly depth: number
}

interface Common {
  /** The same for the same thing in every snapshot: by it the printer knows what it has printed. */
  readonly key: string
  readonly speaker: Speaker
  readonly look: Look
  readonly text: string
}

/** One piece of a chat in a terminal, in the order in which it is read. */
export type Block =
  /** Words that may still grow. */
  | (Common & { readonly kind: 'text'; readonly isOpen: boolean })
  /** A tool call: one line, cut to the width of the screen, whose end says what came of it. */
  | (Common & { readonly kind: 'call' })
  /** What came of a call: on the call's own line if that is still the last one, else `alone` on a new one. */
  | (Common & { readonly kind: 'outcome'; readonly callKey: string; readonly alone: string })
  /** Printed once, as it is. */
  | (Common & { readonly kind: 'note' })
