import type { ShownMessage } from './shown-message.ts'

/** Finds the message of a chat that a shown one belongs to; `undefined` when the chat does not know it. */
export type PlaceOf = (message: ShownMessage) => Promise<string | undefined>

/**
 * The message that a page shows right before its newest question, as the chat knows it: empty when there is none, and
 * `undefined` when it cannot be told. An answer may be shown as several messages (one per text, or sub-agents beside
 * it), of which it is enough to know one.
 */
export async function shownBefore(
  shown: readonly ShownMessage[],
  placeOf: PlaceOf,
): Promise<string | undefined> {
  const before = shown.slice(
    0,
    shown.findLastIndex(({ role }) => role === 'user'),
  )
  const asked = before.findLastIndex(({ role }) => role === 'user')
  const answers = before.slice(asked + 1)
  for (const answer of answers.toReversed()) {
    const place = await placeOf(answer)
    if (place !== undefined) return place
  }
  const question = before[asked]
  // Answers without a question, such as a greeting that is the page's own, stand before everything.
  if (question === undefined) return ''
  return answers.length === 0 ? placeOf(question) : undefined
}
