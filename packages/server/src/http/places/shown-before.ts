import type { ShownMessage } from './shown-message.ts'

/** Finds the first of these messages that the chat has. Returns `undefined` when it has none of them. */
export type FirstPlace = (shown: readonly ShownMessage[]) => Promise<string | undefined>

/**
 * Returns the id of the message that a page shows right before its newest question. Empty when there is none, and
 * `undefined` when it cannot be found. A page may show one answer as several messages: one for each text, or one for
 * each sub-agent. It is enough to find one of them.
 */
export async function shownBefore(
  shown: readonly ShownMessage[],
  firstPlace: FirstPlace,
): Promise<string | undefined> {
  const before = shown.slice(
    0,
    shown.findLastIndex(({ role }) => role === 'user'),
  )
  const asked = before.findLastIndex(({ role }) => role === 'user')
  const answers = before.slice(asked + 1)
  const place = await firstPlace(answers.toReversed())
  if (place !== undefined) return place
  const question = before[asked]
  // Answers without a question, such as the page's own greeting, stand at the beginning.
  if (question === undefined) return ''
  return answers.length === 0 ? firstPlace([question]) : undefined
}
