import type { ChatSnapshot } from '@throughline/client'
import type { ScreenItem } from './print-items.ts'
import { nothingPrinted, type Printed, type Printing, type PrintOptions, printItems } from './print-items.ts'
import { type ItemOptions, screenItems } from './screen-items.ts'

/** What is on the screen: what was printed, and what the person has typed. */
export interface Shown extends Printed {
  /** Messages that are on the screen because they were typed there. The chat has not brought them yet. */
  readonly typed: readonly string[]
}

/** What is needed to draw a chat on this output. */
export type View = ItemOptions & PrintOptions

/** An empty screen, on which nothing was typed. */
export const nothingShown: Shown = { ...nothingPrinted, typed: [] }

/** Returns the text to print so that the screen shows this snapshot: only what is new. */
export function renderChat(
  shown: Shown,
  snapshot: Pick<ChatSnapshot, 'messages' | 'versions'>,
  view: View,
): Printing & { readonly printed: Shown } {
  const items = screenItems(snapshot, view)
  const { typed, ...before } = withoutTyped(shown, items)
  const { printed, text } = printItems(before, items, view)
  return { printed: { ...printed, typed }, text }
}

/** Returns the screen after a person has typed a message. The message is on the screen, and the cursor is below it. */
export function afterTyping(shown: Shown, text: string): Shown {
  return { ...shown, cursor: 'start', speakerId: undefined, typed: [...shown.typed, text] }
}

/** When the chat brings a message that was typed here, marks it as printed. */
function withoutTyped(shown: Shown, items: readonly ScreenItem[]): Shown {
  if (shown.typed.length === 0) return shown
  const seen = new Map(shown.seen)
  const typed = [...shown.typed]
  for (const { key, speaker, text } of items) {
    const index = speaker.role === 'user' && !seen.has(key) ? typed.indexOf(text) : -1
    if (index === -1) continue
    typed.splice(index, 1)
    seen.set(key, text)
  }
  return { ...shown, seen, typed }
}
