import type { ChatSnapshot } from '@throughline/client/chat-snapshot'
import type { Block } from './block.ts'
import { type BlockOptions, chatBlocks } from './chat-blocks.ts'
import {
  nothingPrinted,
  type Printed,
  type Printing,
  type PrintOptions,
  printBlocks,
} from './print-blocks.ts'

/** A chat on a screen: what was printed, and what the person typed there themselves. */
export interface Shown extends Printed {
  /** Texts that stand on the screen because they were typed there; the chat has not brought them yet. */
  readonly typed: readonly string[]
}

export type View = BlockOptions & PrintOptions

export const nothingShown: Shown = { ...nothingPrinted, typed: [] }

/** What to write so that the screen shows this snapshot: only what is new in it. */
export function renderChat(
  shown: Shown,
  snapshot: Pick<ChatSnapshot, 'messages' | 'versions'>,
  view: View,
): Printing & { readonly printed: Shown } {
  const blocks = chatBlocks(snapshot, view)
  const { typed, ...before } = withoutTyped(shown, blocks)
  const { printed, text } = printBlocks(before, blocks, view)
  return { printed: { ...printed, typed }, text }
}

/** The person typed a message: it stands on the screen, and the cursor below it. */
export function afterTyping(shown: Shown, text: string): Shown {
  return { ...shown, cursor: 'start', speakerId: undefined, typed: [...shown.typed, text] }
}

/** Takes what was typed here for printed, when the chat brings it. */
function withoutTyped(shown: Shown, blocks: readonly Block[]): Shown {
  if (shown.typed.length === 0) return shown
  const seen = new Map(shown.seen)
  const typed = [...shown.typed]
  for (const { key, speaker, text } of blocks) {
    const place = speaker.role === 'user' && !seen.has(key) ? typed.indexOf(text) : -1
    if (place === -1) continue
    typed.splice(place, 1)
    seen.set(key, text)
  }
  return { ...shown, seen, typed }
}
