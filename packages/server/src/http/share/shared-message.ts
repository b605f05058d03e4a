import { isContinued, isToolPart, type Message, type MessageMetadata, type Part } from '@throughline/protocol'

/** A message as everybody with the link sees it. */
export interface SharedMessage extends Pick<Message, 'id' | 'role'> {
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
