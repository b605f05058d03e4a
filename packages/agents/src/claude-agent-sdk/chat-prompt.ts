import { type FilePart, isToolPart, type Message, type Part, toolNameOf } from '@throughline/protocol'
import { toJson } from '../values/json-value.ts'
import type { ClaudeBlock, ClaudePrompt } from './claude-query.ts'

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
  const who = { role, ...(agent === undefined ? {} : { name: agent.displayName }) }
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
