import { type ChatKey, isMessageId } from '@throughline/protocol'
import type { Services } from '../request/context.ts'
import { type FirstPlace, isSameText, type ShownMessage } from './shown-message.ts'
import { editId } from './submission.ts'

/** A page that shows messages of a chat, and how it names them. */
export interface Page extends ChatKey {
  /** Aborts when the client has left. */
  readonly closed: AbortSignal
  /** Yields the ids that a message of the chat may have, by the id that the page has for it. Default: the same. */
  readonly idsOf?: (id: string) => Iterable<string>
}

/** How many ids are looked up with one query, and how many altogether. A client may send thousands that nobody knows. */
const idsPerQuery = 1_000
const maxIds = 20_000

/** A message of a page, and an id that it may have in the chat. */
interface Candidate {
  readonly message: ShownMessage
  readonly id: string
}

/**
 * Returns a function that finds the first of some messages that the chat has, by their ids. The message of a sub-agent has
 * the place of the answer that it worked for. A page shows an edited message under the id of the first one, but the chat
 * has it under an id of its own.
 */
export async function firstPlaceIn({ store }: Services, page: Page): Promise<FirstPlace> {
  // This is read before the messages. So an answer is active here, or it is among the messages.
  const active = await store.runs.active(page)

  async function placeOf({ message: { role, text }, id }: Candidate): Promise<string | undefined> {
    if (!isMessageId(id)) return undefined
    const root = (await store.messages.root(page, id)) ?? (id === active?.answerId ? id : undefined)
    if (root === undefined || role !== 'user') return root
    const message = await store.messages.find(page, id)
    if (message !== undefined && isSameText(message, text)) return id
    const edited = editId({ id, parts: [{ type: 'text', text }] })
    return (await store.messages.root(page, edited)) === undefined ? undefined : edited
  }

  return async shown => {
    for (const batch of batchesOf(candidatesIn(shown, page))) {
      page.closed.throwIfAborted()
      const known = await store.messages.known(page, [...new Set(batch.map(({ id }) => id))])
      for (const candidate of batch) {
        const isKnown = known.has(candidate.id) || candidate.id === active?.answerId
        const place = isKnown ? await placeOf(candidate) : undefined
        if (place !== undefined) return place
      }
    }
    return undefined
  }
}

function* batchesOf(candidates: Iterable<Candidate>): Generator<readonly Candidate[], void, undefined> {
  let batch: Candidate[] = []
  let count = 0
  for (const candidate of candidates) {
    batch.push(candidate)
    count++
    if (batch.length === idsPerQuery) {
      yield batch
      batch = []
    }
    if (count === maxIds) return
  }
  if (batch.length > 0) yield batch
}

function* candidatesIn(
  shown: readonly ShownMessage[],
  { idsOf = id => [id] }: Page,
): Generator<Candidate, void, undefined> {
  for (const message of shown) {
    const { id: shownId = '', role } = message
    for (const id of role === 'user' ? [shownId] : idsOf(shownId)) if (isMessageId(id)) yield { message, id }
  }
}

/** In AG-UI one answer is several messages, and their ids begin with the id of the answer, and a colon. */
export function* agUiIds(shownId: string): Generator<string, void, undefined> {
  for (let id = shownId; id !== ''; id = beforeColon(id)) yield id
}

// No id of a message is longer. This also limits the work for an id that a client sends.
const maxIdLength = 128

/** Returns the part before the last colon that can follow an id of a message. */
function beforeColon(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf(':', maxIdLength)))
}
