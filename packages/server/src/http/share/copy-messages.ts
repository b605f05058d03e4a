import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import {
  type ChatId,
  isContinued,
  isToolPart,
  type Message,
  type MessageMetadata,
  type Part,
  rootsOf,
} from '@throughline/protocol'
import type { NewShare } from '@throughline/store'
import { filesAddress } from '../../files/keep-file.ts'
import { jsonSlices } from '../respond/json-slices.ts'

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

/** A message as everybody with the link sees it. */
interface SharedMessage extends Pick<Message, 'id' | 'role'> {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly parts: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Returns what a shared copy keeps of a message: what the page draws, and nothing else. So it has neither the name of its
 * owner, nor what the answer cost, nor who its sender is in a channel, and none of the fields and data that an
 * application has added.
 */
export function sharedMessage({ id, role, metadata = {}, parts }: Message): SharedMessage {
  return {
    id,
    role,
    metadata: { ...only(metadata, shownMetadata), ...only(metadata, namesIn(role, metadata)) },
    parts: parts.filter(isShown).map(sharedPart),
  }
}

const shownMetadata: ReadonlySet<string> = new Set([
  'communicationType',
  'agentUsed',
  'createdAt',
  'agent',
  'parent',
  'status',
  'statusText',
  'isEmpty',
  'lastToolError',
  // The page notes here that one of its buttons has written the message.
  'writtenBy',
])

/**
 * Returns which names of a message are shown: who has written an answer, and the person whom a message is for. An answer
 * is for the owner of the chat, whose name may be the one with which they sign in.
 */
function namesIn(role: Message['role'], { communicationType }: MessageMetadata): ReadonlySet<string> {
  if (role === 'assistant') return new Set(['senderName'])
  return new Set(communicationType === 'user-to-user' ? ['receiverName'] : [])
}

function only(metadata: MessageMetadata, names: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => names.has(name)))
}

const shownTypes: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'file',
  'source-url',
  'source-document',
  'step-start',
  'data-step',
])

function isShown(part: Part): boolean {
  return shownTypes.has(part.type) || isToolPart(part) || isContinued(part)
}

/** What providers and tools note for themselves. */
const hiddenFields: ReadonlySet<string> = new Set([
  'providerMetadata',
  'callProviderMetadata',
  'resultProviderMetadata',
  'toolMetadata',
])

function sharedPart(part: Part): Readonly<Record<string, unknown>> {
  const shown = Object.fromEntries(Object.entries(part).filter(([name]) => !hiddenFields.has(name)))
  if (!isToolPart(part) || part.approval === undefined) return shown
  const { id, approved, reason } = part.approval
  return { ...shown, approval: { id, approved, reason } }
}
