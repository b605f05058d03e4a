import { subAgentToolKey } from '@throughline/agents/internal'
import { type ChatSnapshot, type NameSources, senderNameOf } from '@throughline/client'
import {
  isContinued,
  isRecord,
  isToolPart,
  isWaitingToGoOn,
  type Message,
  type Part,
  type ToolPart,
  toolInput,
  toolNameOf,
} from '@throughline/protocol'
import { inOneLine, jsonLine, plainText, prettyJson } from '../text/plain-text.ts'
import { durationText } from '../text/units.ts'
import { isAskingApproval, requestKey, waitingQuestionIn } from './person-requests.ts'
import type { ScreenItem, Speaker } from './print-items.ts'

/** What is needed to turn a chat into items. */
export interface ItemOptions {
  /** The agents of the server, for their display names. */
  readonly agents: NonNullable<NameSources['agents']>
}

/**
 * Returns a chat as items, in reading order. The items of a sub-agent stand between the call that started it and its
 * outcome.
 */
export function screenItems(
  { messages, versions }: Pick<ChatSnapshot, 'messages' | 'versions'>,
  { agents }: ItemOptions,
): readonly ScreenItem[] {
  const tree: Tree = { subAgents: subAgentMessages(messages), speakers: new Map(), agents, versions }
  const known = new Set(messages.map(({ id }) => id))
  return messages.flatMap(message => {
    const { parent } = message.metadata ?? {}
    if (parent !== undefined && known.has(parent.messageId)) return []
    tree.speakers.clear()
    return messageItems(message, 0, tree)
  })
}

interface Tree {
  /** The messages of sub-agents, by the message that they work for, in the order in which they began. */
  readonly subAgents: ReadonlyMap<string, readonly Message[]>
  /** How many speakers of each name there are in this answer. The second "Researcher" is shown as "Researcher (2)". */
  readonly speakers: Map<string, number>
  readonly agents: ItemOptions['agents']
  readonly versions: ChatSnapshot['versions']
}

function messageItems(message: Message, depth: number, tree: Tree): readonly ScreenItem[] {
  const speaker = speakerOf(message, depth, tree)
  const subAgents = tree.subAgents.get(message.id) ?? []
  const callIds = new Set(message.parts.flatMap(part => (isToolPart(part) ? [part.toolCallId] : [])))
  const under = (isUnder: (callId: string) => boolean) =>
    subAgents
      .filter(({ metadata }) => isUnder(metadata?.parent?.toolCallId ?? ''))
      .flatMap(each => messageItems(each, depth + 1, tree))
  return [
    ...versionItems(message, speaker, tree),
    ...message.parts.flatMap((part, index) => {
      if (!isToolPart(part)) return partItems({ key: `${message.id} ${index}`, speaker, message, part })
      const call = { key: `${message.id} ${index} ${part.toolCallId}`, speaker, message, part }
      const inside = under(callId => callId === part.toolCallId)
      // The outcome is shown with the sub-agent's name and number: two sub-agents may have the same name.
      return [...callItems(call), ...inside, ...outcomeItems(call, inside[0]?.speaker.name)]
    }),
    // Sub-agents whose call is gone, because the step was tried again.
    ...under(callId => !callIds.has(callId)),
    ...endItems(message, speaker),
  ]
}

interface PartContext {
  readonly key: string
  readonly speaker: Speaker
  readonly message: Message
  readonly part: Part
}

function partItems({ key, speaker, message, part }: PartContext): readonly ScreenItem[] {
  if (isWaitingToGoOn(part))
    return [
      note(`${key} waits`, speaker, '↻ the server crashed here more than once; waits for its turn to go on'),
    ]
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

function note(key: string, speaker: Speaker, text: string): ScreenItem {
  return { kind: 'note', key, speaker, look: 'faint', text: inOneLine(text) }
}

/** Returns a note above a second answer to the same message. The first one stays on the screen. */
function versionItems({ id, role }: Message, speaker: Speaker, { versions }: Tree): readonly ScreenItem[] {
  const all = versions.get(id) ?? []
  const number = all.indexOf(id) + 1
  if (role === 'user' || number < 2) return []
  return [note(`${id} version`, speaker, `↻ answer ${number} of ${all.length}`)]
}

/** Returns a note that says how an answer ended, unless it simply finished. */
function endItems({ id, metadata }: Message, speaker: Speaker): readonly ScreenItem[] {
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

/** A tool call, and who makes it. */
interface Call {
  readonly key: string
  readonly speaker: Speaker
  readonly message: Message
  readonly part: ToolPart
}

/**
 * Returns an item for the call, and one for what it waits for a person for. Empty while the input is still arriving.
 */
function callItems({ key, speaker, message, part }: Call): readonly ScreenItem[] {
  if (part.state === 'input-streaming') return []
  const { label, details } = described(part)
  const text = `⚙ ${label}${details === '' ? '' : ` ${details}`}`
  const call: ScreenItem = { kind: 'call', key, speaker, look: 'faint', text }
  const note = (id: string, asked: string): ScreenItem => {
    return { kind: 'note', key: requestKey(id), speaker, look: 'warning', text: `? ${asked}` }
  }
  if (isAskingApproval(message, part)) {
    const asked = `${label} waits for your approval:\n${prettyJson(toolInput(part))}`
    return [call, note(part.approval.id, asked)]
  }
  const question = waitingQuestionIn(message, part)
  return question === undefined ? [call] : [call, note(question.id, plainText(question.question))]
}

/** Returns an item for the outcome of a call that has ended. `name` is the sub-agent that the call has started. */
function outcomeItems({ key, speaker, message, part }: Call, name?: string): readonly ScreenItem[] {
  const failure = failureOf(part)
  const isOver = part.state === 'output-available' && part.preliminary !== true
  if (!isOver && failure === undefined) return []
  const step = stepOf(message, part)
  // Right after the result comes the end of the call's progress entry, with its duration. Wait for that.
  if (step?.['status'] === 'running' && message.metadata?.status === 'streaming') return []
  const took = typeof step?.['durationMs'] === 'number' ? ` ${durationText(step['durationMs'])}` : ''
  const { label } = name === undefined ? described(part) : { label: name }
  const mark = failure === undefined ? '✓' : '✗'
  const rest = failure === undefined ? took : ` ${inOneLine(failure)}`
  return [
    {
      kind: 'outcome',
      key: `${key} outcome`,
      callKey: key,
      speaker,
      look: failure === undefined ? 'good' : 'bad',
      text: mark + rest,
      alone: `${mark} ${label}${failure === undefined ? '' : ':'}${rest}`,
    },
  ]
}

/** Returns the name and the input of a call in words. For a call that starts a sub-agent: its name and its task. */
function described(part: ToolPart): { readonly label: string; readonly details: string } {
  const toolName = inOneLine(toolNameOf(part))
  const input = toolInput(part)
  if (toolName === subAgentToolKey && isRecord(input)) {
    const { name, task } = input
    if (typeof name === 'string' && typeof task === 'string')
      return { label: inOneLine(name), details: inOneLine(task) }
  }
  return { label: toolName, details: jsonLine(input) }
}

function failureOf(part: ToolPart): string | undefined {
  const { state, errorText, approval, output } = part
  if (state === 'output-error') return errorText ?? 'failed'
  if (state === 'output-denied') {
    const reason = approval?.reason
    return reason === undefined ? 'not allowed' : `not allowed: ${reason}`
  }
  // A sub-agent that fails does not fail the call. The call has a result with `ok: false`, so that its caller can go
  // on.
  const isRefusal = toolNameOf(part) === subAgentToolKey && isRecord(output) && output['ok'] === false
  return isRefusal ? String(output['message'] ?? 'failed') : undefined
}

function stepOf({ parts }: Message, { toolCallId }: ToolPart): Readonly<Record<string, unknown>> | undefined {
  for (const part of parts.toReversed()) {
    if (part.type !== 'data-step' || !('data' in part) || !isRecord(part.data)) continue
    if (part.data['toolCallId'] === toolCallId) return part.data
  }
  return undefined
}
