import { rootsOf } from '@throughline/protocol/branches'
import { type ChatKey, isMessageId } from '@throughline/protocol/ids'
import type { Services } from '../context.ts'
import { editId } from '../submission.ts'
import { isSameText } from './same-text.ts'
import type { PlaceOf } from './shown-before.ts'

/**
 * Knows the places of a chat's messages by their ids. A sub-agent's message belongs to the answer that it worked for. A
 * message that was edited is shown under the id of the first one, and has an id of its own here.
 */
export async function knownPlaces({ store }: Services, chat: ChatKey): Promise<PlaceOf> {
  // Before the messages: an answer that is not active any more is among them.
  const active = await store.runs.active(chat)
  const outline = await store.messages.outline(chat)
  const roots = rootsOf(outline)
  const known = new Set(outline.map(({ id }): string => id))
  if (active !== undefined) known.add(active.answerId)
  return async ({ id, role, text }) => {
    if (!isMessageId(id) || !known.has(id)) return undefined
    if (role !== 'user') return roots.get(id) ?? id
    const message = await store.messages.find(chat, id)
    if (message !== undefined && isSameText(message, text)) return id
    const edited = editId({ id, parts: [{ type: 'text', text }] })
    return known.has(edited) ? edited : undefined
  }
}

/** The same for AG-UI, where an answer is several messages, whose ids begin with the answer's. */
export function agUiPlaces(placeOf: PlaceOf): PlaceOf {
  return async message => {
    if (message.role === 'user') return placeOf(message)
    for (let { id = '' } = message; id !== ''; id = beforeColon(id)) {
      const place = await placeOf({ ...message, id })
      if (place !== undefined) return place
    }
    return undefined
  }
}

// No id of ours is longer, and nobody can make us look at more.
const maxIdLength = 128

/** What stands before the last colon that can follow an id of ours. */
function beforeColon(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf(':', maxIdLength)))
}
