import { type Message, textOf } from '@throughline/protocol'

/**
 * Returns whether a message has the text that a page shows. Clients join the texts of a message in different ways, so
 * spaces are ignored.
 */
export function isSameText(message: Message, text: string): boolean {
  return squashed(textOf(message)) === squashed(text)
}

/** Returns a text without its spaces. */
export function squashed(text: string): string {
  return text.replace(/\s+/g, '')
}
