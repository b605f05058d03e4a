import { type ChatSnapshot, type NameSources, senderNameOf } from '@throughline/client'
import { isContinued, isToolPart, type Message, type Part } from '@throughline/protocol'
import { inOneLine } from '../text/plain-text.ts'
import type { Block, Speaker } from './block.ts'
import { callBlocks, outcomeBlocks } from './tool-blocks.ts'

/** What is needed to turn a chat into blocks. */
export interface BlockOptions {
  /** The agents of the server, for their display names. */
  readonly agents: NonNullable<NameSources['agents']>
}

/**
 * Returns a chat as blocks, in reading order. The blocks of a sub-agent stand between the call that started it and its
 * outcome.
 */
export function chatBlocks(
  { messages, versions }: Pick<ChatSnapshot, 'messages' | 'versions'>,
  { agents }: BlockOptions,
): readonly Block[] {
  const tree: Tree = { subAgents: subAgentMessages(messages), speakers: new Map(), agents, versions }
  const known = new Set(messages.map(({ id }) => id))
  return messages.flatMap(message => {
    const { parent } = message.metadata ?? {}
    if (parent !== undefined && known.has(parent.messageId)) return []
    tree.speakers.clear()
    return messageBlocks(message, 0, tree)
  })
}

interface Tree {
  /** The messages of sub-agents, by the message that they work for, in the order in which they began. */
  readonly subAgents: ReadonlyMap<string, readonly Message[]>
  /** How many speakers of each name there are in this answer. The second "Researcher" is shown as "Researcher (2)". */
  readonly speakers: Map<string, number>
  readonly agents: BlockOptions['agents']
  readonly versions: ChatSnapshot['versions']
}

function messageBlocks(message: Message, depth: number, tree: Tree): readonly Block[] {
  const speaker = speakerOf(message, depth, tree)
  const subAgents = tree.subAgents.get(message.id) ?? []
  const callIds = new Set(message.parts.flatMap(part => (isToolPart(part) ? [part.toolCallId] : [])))
  const under = (isUnder: (callId: string) => boolean) =>
    subAgents
      .filter(({ metadata }) => isUnder(metadata?.parent?.toolCallId ?? ''))
      .flatMap(each => messageBlocks(each, depth + 1, tree))
  return [
    ...versionBlocks(message, speaker, tree),
    ...message.parts.flatMap((part, index) => {
      if (!isToolPart(part)) return partBlocks({ key: `${message.id} ${index}`, speaker, message, part })
      const call = { key: `${message.id} ${index} ${part.toolCallId}`, speaker, message, part }
      const inside = under(callId => callId === part.toolCallId)
      // The outcome is shown with the sub-agent's name and number: two sub-agents may have the same name.
      return [...callBlocks(call), ...inside, ...outcomeBlocks(call, inside[0]?.speaker.name)]
    }),
    // Sub-agents whose call is gone, because the step was tried again.
    ...under(callId => !callIds.has(callId)),
    ...endBlocks(message, speaker),
  ]
}

interface PartContext {
  readonly key: string
  readonly speaker: Speaker
  readonly message: Message
  readonly part: Part
}

function partBlocks({ key, speaker, message, part }: PartContext): readonly Block[] {
  if (isContinued(part)) return [note(key, speaker, '↻ continued after a restart')]
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const isOpen = part.state === 'streaming' && message.metadata?.status === 'streaming'
      const look = part.type === 'text' ? 'plain' : 'faint'
      return [{ kind: 'text', key, speaker, look, text: part.text, isOpen }]
    }
    case 'source-url':
      return [note(key, speaker, `↗ ${part.title === undefined ? '' : `${part.title} `}${part.url}`)]
    case 'source-document':
      return [note(key, speaker, `↗ ${part.title}`)]
    case 'file':
      return [note(key, speaker, `↗ ${part.filename ?? part.mediaType}`)]
    default:
      return []
  }
}

function note(key: string, speaker: Speaker, text: string): Block {
  return { kind: 'note', key, speaker, look: 'faint', text: inOneLine(text) }
}

/** Returns a note above a second answer to the same message. The first one stays on the screen. */
function versionBlocks({ id, role }: Message, speaker: Speaker, { versions }: Tree): readonly Block[] {
  const all = versions.get(id) ?? []
  const number = all.indexOf(id) + 1
  if (role === 'user' || number < 2) return []
  return [note(`${id} version`, speaker, `↻ answer ${number} of ${all.length}`)]
}

/** Returns a note that says how an answer ended, unless it simply finished. */
function endBlocks({ id, metadata }: Message, speaker: Speaker): readonly Block[] {
  const { status, statusText, isEmpty } = metadata ?? {}
  if (status === 'finished' && isEmpty === true)
    return [
      { kind: 'note', key: `${id} end`, speaker, look: 'warning', text: `○ ${inOneLine(statusText ?? '')}` },
    ]
  if (status === undefined || status === 'streaming' || status === 'finished') return []
  const because = statusText === undefined || status === 'stopped' ? '' : `: ${inOneLine(statusText)}`
  const { look, text } = ends[status]
  return [{ kind: 'note', key: `${id} end`, speaker, look, text: text + because }]
}

const ends = {
  stopped: { look: 'warning', text: '■ stopped' },
  interrupted: { look: 'bad', text: '✗ interrupted' },
  limit: { look: 'warning', text: '✗ limit reached' },
  failed: { look: 'bad', text: '✗ failed' },
} as const

function speakerOf(message: Message, depth: number, { agents, versions, speakers }: Tree): Speaker {
  const { id, role } = message
  const fallback = role === 'user' ? 'You' : 'Agent'
  const isEdited = role === 'user' && (versions.get(id)?.indexOf(id) ?? 0) > 0
  const name = inOneLine(senderNameOf(message, { agents, fallback })) + (isEdited ? ' (edited)' : '')
  const count = (speakers.get(name) ?? 0) + 1
  speakers.set(name, count)
  return { id, role, depth, name: count === 1 ? name : `${name} (${count})` }
}

function subAgentMessages(messages: readonly Message[]): ReadonlyMap<string, readonly Message[]> {
  return Map.groupBy(
    messages.filter(({ metadata }) => metadata?.parent !== undefined),
    ({ metadata }) => metadata?.parent?.messageId ?? '',
  )
}
