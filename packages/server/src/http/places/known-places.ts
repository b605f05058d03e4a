import { type ChatKey, isMessageId } from '@throughline/protocol'
import type { Services } from '../context.ts'
import { editId } from '../submission.ts'
import { isSameText } from './same-text.ts'
import type { PlaceOf } from './shown-before.ts'

/**
 * Returns a function that finds the place of a message by its id. The message of a sub-agent has the place of the
 * answer that it worked for. A page shows an edited message under the id of the first one, but the chat has it under
 * an id of its own.
 */
export async function knownPlaces({ store }: Services, chat: ChatKey): Promise<PlaceOf> {
  // This is read before the messages. So an answer is active here, or it is among the messages.
  const active = await store.runs.active(chat)
  return async ({ id, role, text }) => {
    if (!isMessageId(id)) return undefined
    const root = (await store.messages.root(chat, id)) ?? (id === active?.answerId ? id : undefined)
    if (root === undefined || role !== 'user') return root
    const message = await store.messages.find(chat, id)
    if (message !== undefined && isSameText(message, text)) return id
    const edited = editId({ id, parts: [{ type: 'text', text }] })
    return (await store.messages.root(chat, edited)) === undefined ? undefined : edited
  }
}

/** The same for AG-UI. There one answer is several messages, and their ids begin with the id of the answer. */
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

// No id of a message is longer. This also limits the work for an id that a client sends.
const maxIdLength = 128

/** Returns the part before the last colon that can follow an id of a message. */
function beforeColon(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf(':', maxIdLength)))
}
