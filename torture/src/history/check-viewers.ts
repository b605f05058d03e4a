import { isDeepStrictEqual } from 'node:util'
import { type ChatState, emptyChat, messagesOf } from '@throughline/protocol/chat-state'
import type { Entry } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import { parsePosition } from '@throughline/protocol/position'
import type { Finding, Sighting } from './history.ts'
import { entryIn, loggedEventsIn } from './logged-events.ts'
import type { ReadHistory } from './read-history.ts'

/** B4, B5: when nothing goes on any more, a viewer has seen all of the log, and shows what the log says. */
export function checkViewers({ viewers, entries }: ReadHistory): readonly Finding[] {
  if (viewers.length === 0) return []
  const expected = messagesOf(foldAll(emptyChat(), entries))
  return viewers.flatMap(viewer => checkViewer(viewer, entries, expected))
}

function checkViewer(
  { after, bytes }: Sighting,
  entries: readonly Entry[],
  expected: ReturnType<typeof messagesOf>,
): readonly Finding[] {
  const before = parsePosition(after)?.seq ?? 0
  const seen = loggedEventsIn(bytes).map(entryIn)
  const numbers = seen.map(({ seq }) => seq)
  const wanted = entries.slice(before).map(({ seq }) => seq)
  if (!isDeepStrictEqual(numbers, wanted)) {
    const detail = `A viewer after ${after} saw ${numbers.length} entries up to ${numbers.at(-1)}, and the log has ${wanted.length} up to ${wanted.at(-1)}.`
    return [{ kind: numbers.length > wanted.length ? 'doubled' : 'lost', invariant: 'B5', detail }]
  }
  const shown = messagesOf(foldAll(foldAll(emptyChat(), entries.slice(0, before)), seen))
  if (isDeepStrictEqual(shown, expected)) return []
  const detail = `A viewer after ${after} shows ${JSON.stringify(shown).slice(0, 600)}, and the log says ${JSON.stringify(expected).slice(0, 600)}`
  return [{ kind: 'wrong-bytes', invariant: 'B4', detail }]
}

function foldAll(chat: ChatState, entries: readonly Entry[]): ChatState {
  return entries.reduce(fold, chat)
}
