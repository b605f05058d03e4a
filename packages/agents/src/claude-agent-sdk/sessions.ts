import { createHash } from 'node:crypto'
import { type FilePart, isToolPart, type Message, type Part, toolNameOf } from '@throughline/protocol'
import { defined } from '@throughline/protocol/internal'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { toJson } from '../values/json-value.ts'
import type { ClaudeBlock, ClaudePrompt } from './claude-query.ts'

/** How a query begins, and which messages its session does not know yet. */
export interface SessionStart {
  /** The session of an earlier answer. It is copied, so that other answers can go on from it, too. */
  readonly resume?: string
  /** The id of the new session; without it, nothing can go on from this answer. */
  readonly sessionId?: string
  readonly unread: readonly Message[]
}

/**
 * Returns how to begin, best first. Each answer has a session of its own, which goes on from the one of the agent's last
 * answer among these messages. So edits, other answers and branches have the sessions that they belong to. If a start
 * is not possible, the next one is tried: Claude Code keeps sessions on the disk of one machine, and deletes old ones.
 *
 * The id of a session is made of the owner, the chat and the answer. So nothing has to be kept here, and nobody can reach
 * the session of another owner by naming it.
 */
export function sessionStarts(messages: readonly Message[], keepsSessions: boolean): readonly SessionStart[] {
  const whole = { unread: messages }
  if (!keepsSessions) return [whole]
  const frame = currentFrame()
  const sessionId = sessionOf(frame, frame.messageId)
  const last = messages.findLastIndex(({ metadata }) => metadata?.agent?.name === frame.agent.name)
  const answer = messages[last]
  const starts = [{ sessionId, ...whole }, whole]
  if (answer === undefined || last === messages.length - 1) return starts
  return [{ resume: sessionOf(frame, answer.id), sessionId, unread: messages.slice(last + 1) }, ...starts]
}

/** Returns whether the SDK says that a query cannot begin like this, because of its session. */
export function isSessionProblem(message: string): boolean {
  return /No conversation found with session ID|Session ID \S+ is already in use/.test(message)
}

function sessionOf({ run }: AgentFrame, messageId: string): string {
  const name = JSON.stringify(['throughline', run.ownerId, run.chatId, messageId])
  const hex = createHash('sha256').update(name).digest('hex')
  // A UUID of version 8, whose bits are the application's own, in the variant of RFC 9562.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/**
 * Returns what a session is asked: the last message, with its files. The messages before it, which the session does not know,
 * stand above it as JSON: the SDK takes messages of the user only.
 */
export function chatPrompt(messages: readonly Message[]): ClaudePrompt {
  const [question] = messages.slice(-1)
  const before = messages.slice(0, -1).flatMap(linesOf)
  const asked = question?.parts.flatMap(blocksOf) ?? []
  const content = before.length === 0 ? asked : [{ type: 'text' as const, text: chatText(before) }, ...asked]
  // Anthropic refuses a message without content.
  const sent: readonly ClaudeBlock[] = content.length === 0 ? [{ type: 'text', text: '(no text)' }] : content
  return { type: 'user', message: { role: 'user', content: sent }, parent_tool_use_id: null }
}

function chatText(lines: readonly string[]): string {
  return [
    'This is what was said in this chat before, oldest first, one JSON object per line. "assistant" is you, unless another name is given.',
    ...lines,
    'The newest message of the user follows. Answer it.',
  ].join('\n')
}

function linesOf({ role, parts, metadata }: Message): readonly string[] {
  const agent = metadata?.agent
  const who = { role, ...defined({ name: agent?.displayName }) }
  return parts.flatMap(part => {
    const said = saidIn(part)
    return said === undefined ? [] : [toJson({ ...who, ...said })]
  })
}

function saidIn(part: Part): object | undefined {
  if (isToolPart(part)) {
    const { state, input, output, errorText, preliminary } = part
    const call = { tool: toolNameOf(part), input }
    if (state === 'output-available' && preliminary !== true) return { ...call, output }
    if (state === 'output-error') return { ...call, error: errorText }
    return state === 'output-denied' ? { ...call, error: 'The user did not allow this call.' } : undefined
  }
  if (part.type === 'text') return part.text === '' ? undefined : { text: part.text }
  return part.type === 'file' ? { file: part.filename ?? 'file', mediaType: part.mediaType } : undefined
}

function blocksOf(part: Part): readonly ClaudeBlock[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  return part.type === 'file' ? [fileBlock(part)] : []
}

/** The contents of a person's file are in a data URL. Claude reads pictures, PDF and texts. */
function fileBlock({ mediaType, url, filename: title = 'file' }: FilePart): ClaudeBlock {
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1]
  if (data !== undefined && mediaType.startsWith('image/'))
    return { type: 'image', source: { type: 'base64', media_type: mediaType, data } }
  if (data !== undefined && mediaType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data }, title }
  if (data !== undefined && mediaType.startsWith('text/')) {
    const text = Buffer.from(data, 'base64').toString('utf8')
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title }
  }
  return { type: 'text', text: `[The user has attached ${title} (${mediaType}), which you cannot read.]` }
}
