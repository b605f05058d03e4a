import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type ChatId, type Message, rootsOf } from '@throughline/protocol'
import type { NewShare } from '@throughline/store'
import { filesAddress } from '../../runs/keep-file.ts'
import { jsonSlices } from '../json-slices.ts'
import { sharedMessage } from './shared-message.ts'

/** What is copied. */
export interface CopiedChat {
  readonly chatId: ChatId
  readonly title: string
  /** The messages of one branch, with those of sub-agents. */
  readonly messages: readonly Message[]
}

type Copy = Pick<NewShare, 'title' | 'messageCount' | 'digest' | 'messages' | 'fileIds'>

/** A copy is read as a whole, and anybody with its link may ask for it. So it must not be too large, in bytes of JSON. */
export const maxCopyBytes = 8 * 1024 * 1024

/**
 * Makes a copy of messages for everybody. Lets other work be done in between. Returns `undefined` when it is larger than
 * `maxCopyBytes`.
 */
export async function copyMessages({ chatId, title, messages }: CopiedChat): Promise<Copy | undefined> {
  const hash = createHash('sha256').update(JSON.stringify(title))
  let text = ''
  let bytes = 0
  for (const slice of jsonSlices(withOwnIds(messages).map(sharedMessage))) {
    text += slice
    bytes += Buffer.byteLength(slice)
    if (bytes > maxCopyBytes) return undefined
    hash.update(slice)
    await setImmediate()
  }
  const roots = rootsOf(messages)
  return {
    title,
    messageCount: messages.filter(({ id }) => !roots.has(id)).length,
    digest: hash.digest('hex'),
    messages: text,
    fileIds: filesIn(text, chatId),
  }
}

/**
 * Returns messages with ids that only the copy has. The ids of the chat come from its clients and channels, and may say who
 * has written a message: those of Telegram do.
 */
function withOwnIds(messages: readonly Message[]): readonly Message[] {
  const ids = new Map(messages.map(({ id }, index) => [id, `message_${index + 1}`]))
  const ownId = (id: string) => ids.get(id) ?? ''
  return messages.map(({ metadata = {}, ...message }) => {
    const { parent } = metadata
    const own = parent && { parent: { ...parent, messageId: ownId(parent.messageId) } }
    return { ...message, id: ownId(message.id), metadata: { ...metadata, ...own } }
  })
}

/** Returns the messages of a copy with the addresses at which everybody can read its files. They do not name the chat. */
export function withSharedFiles(messages: string, chatId: ChatId, key: string): string {
  return messages.replaceAll(filesAddress(chatId), `/api/shared/${key}/files/`)
}

/** Returns the ids of all files of a chat whose addresses are in a text. */
function filesIn(text: string, chatId: ChatId): readonly string[] {
  const [, ...rests] = text.split(filesAddress(chatId))
  return [...new Set(rests.flatMap(rest => /^\w+/.exec(rest) ?? []))]
}
