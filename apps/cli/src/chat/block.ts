import type { Message } from '@throughline/protocol'
import type { Look } from '../text/look.ts'

/** The person or the agent who says something. */
export interface Speaker {
  readonly id: string
  readonly role: Message['role']
  readonly name: string
  /** 0 for a person and for the master, 1 for its sub-agents, and so on. */
  readonly depth: number
}

interface Common {
  /** Stays the same in every snapshot. By this key the printer knows what it has printed already. */
  readonly key: string
  readonly speaker: Speaker
  readonly look: Look
  readonly text: string
}

/** One piece of a chat in a terminal. */
export type Block =
  /** Text that may still grow. */
  | (Common & { readonly kind: 'text'; readonly isOpen: boolean })
  /** A tool call: one line, cut to the width of the screen. Its outcome may follow on the same line. */
  | (Common & { readonly kind: 'call' })
  /**
   * The outcome of a call. Printed on the line of the call if that is still the last one; otherwise `alone` on a new
   * line.
   */
  | (Common & { readonly kind: 'outcome'; readonly callKey: string; readonly alone: string })
  /** A note, printed once and as it is. */
  | (Common & { readonly kind: 'note' })
