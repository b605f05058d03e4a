import { allPrevious, type Message, textOf } from '@throughline/protocol'
import { squashed } from './same-text.ts'
import type { ShownMessage } from './shown-message.ts'

/** Where the newest question of a page belongs in the chat. */
export interface Aligned {
  /** The message that the newest question follows. Empty for none, `undefined` when it cannot be found. */
  readonly after: string | undefined
  /** The newest question itself, if the chat has it already because it was sent before. */
  readonly same: Message | undefined
}

/**
 * Finds the place of the newest question on a page, for clients that send messages without ids. Compares the texts
 * that the page shows with the tree of the chat's messages. Goes from each question to the one with the same text.
 * Goes from each answer to the one with the same text, or to the newest one if there is none. Pure.
 */
export function alignHistory(messages: readonly Message[], shown: readonly ShownMessage[]): Aligned {
  const tree = treeOf(messages)
  const last = shown.findLastIndex(({ role }) => role === 'user')
  let place = ''
  for (const { role, text } of shown.slice(0, last)) {
    if (role === 'user') {
      const question = tree.question(place, text)
      if (question === undefined) return { after: undefined, same: undefined }
      place = question.id
    } else if (role === 'assistant') place = tree.answer(place, text)?.id ?? place
  }
  const { text = '' } = shown[last] ?? {}
  return { after: place, same: tree.question(place, text) }
}

/** Each message is looked at once, so looking a text up does not depend on how many messages stand at a place. */
function treeOf(messages: readonly Message[]) {
  const previous = allPrevious(messages)
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  // A later message of the same text replaces an earlier one: the newest counts.
  const byText = new Map<string, Message>()
  const newest = new Map<string, Message>()
  for (const message of messages) {
    const at = `${message.role} ${previous.get(message.id)}`
    byText.set(`${at} ${squashed(textOf(message))}`, message)
    newest.set(at, message)
  }
  return {
    question: (place: string, text: string) => byText.get(`user ${place} ${squashed(text)}`),
    answer(place: string, text: string) {
      const same = byText.get(`assistant ${place} ${squashed(text)}`)
      // A page may show one answer as several messages. The first of them leads to the answer, and the others stay
      // there.
      return same ?? (roles.get(place) === 'user' ? newest.get(`assistant ${place}`) : undefined)
    },
  }
}
