import { allPrevious } from '@throughline/protocol/branches'
import type { Message } from '@throughline/protocol/message'
import { isSameText } from './same-text.ts'
import type { ShownMessage } from './shown-message.ts'

export interface Aligned {
  /** The message of the chat that the newest question follows: empty for none, `undefined` when it cannot be told. */
  readonly after: string | undefined
  /** The newest question itself, when it stands in the chat already: it was sent before. */
  readonly same: Message | undefined
}

/**
 * Finds the place of a page's newest question by what the page shows, for clients that send messages without ids. Goes
 * down the tree of the chat's messages: from each question to the same one, from each answer to the same one, or to the
 * newest one when none is the same. Pure.
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

function treeOf(messages: readonly Message[]) {
  const previous = allPrevious(messages)
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  const next = Map.groupBy(messages, ({ id }) => previous.get(id))
  // The newest comes first.
  const following = (place: string, role: Message['role']) =>
    (next.get(place) ?? []).filter(message => message.role === role).toReversed()
  return {
    question: (place: string, text: string) =>
      following(place, 'user').find(message => isSameText(message, text)),
    answer(place: string, text: string) {
      const answers = following(place, 'assistant')
      const same = answers.find(message => isSameText(message, text))
      // One answer may be shown as several messages: the first of them has led to it, the others stay there.
      return same ?? (roles.get(place) === 'user' ? answers[0] : undefined)
    },
  }
}
