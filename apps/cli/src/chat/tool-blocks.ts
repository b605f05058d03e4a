import { subAgentToolKey } from '@throughline/agents/internal'
import { isRecord, type Message, type ToolPart, toolInput, toolNameOf } from '@throughline/protocol'
import { durationText } from '../text/duration.ts'
import { inOneLine, jsonLine, jsonLines, plainText } from '../text/plain-text.ts'
import type { Block, Speaker } from './block.ts'
import { isAskingApproval, questionIn, requestKey } from './person-requests.ts'

/** A tool call, and who makes it. */
export interface Call {
  readonly key: string
  readonly speaker: Speaker
  readonly message: Message
  readonly part: ToolPart
}

/**
 * Returns a block for the call, and one for what it waits for a person for. Empty while the input is still arriving.
 */
export function callBlocks({ key, speaker, message, part }: Call): readonly Block[] {
  if (part.state === 'input-streaming') return []
  const { label, details } = described(part)
  const text = `⚙ ${label}${details === '' ? '' : ` ${details}`}`
  const call: Block = { kind: 'call', key, speaker, look: 'faint', text }
  const note = (id: string, asked: string): Block => {
    return { kind: 'note', key: requestKey(id), speaker, look: 'warning', text: `? ${asked}` }
  }
  if (isAskingApproval(message, part)) {
    const asked = `${label} waits for your approval:\n${jsonLines(toolInput(part))}`
    return [call, note(part.approval.id, asked)]
  }
  const question = questionIn(message, part)
  return question === undefined ? [call] : [call, note(question.id, plainText(question.question))]
}

/** Returns a block for the outcome of a call that has ended. `name` is the sub-agent that the call has started. */
export function outcomeBlocks({ key, speaker, message, part }: Call, name?: string): readonly Block[] {
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
