import type { QueryEventOf } from '@throughline/protocol/query-event'
import type { QueryState } from '../query-state.ts'
import type { ChatWords, ToolStatus } from './chat-words.ts'

/** One line of the conversation as `ChatInterface` shows it. */
export interface ChatLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly isError?: boolean
  /** For the call of a tool: how it stands, what the tool was given, as JSON, and the request that is open for it. */
  readonly call?: {
    readonly status: ToolStatus
    readonly args: string
    readonly approvalId?: string | undefined
  }
  /** An image, in base64. */
  readonly screenshot?: string
}

/** The lines about tools that a query adds: each call and each result, in the order in which they came. */
export function toolLinesOf(
  { toolCalls, approvals, isStreaming }: Pick<QueryState, 'toolCalls' | 'approvals' | 'isStreaming'>,
  words: ChatWords,
): readonly ChatLine[] {
  const lines: ChatLine[] = []
  // The calls that have no result yet, by id. A model may use an id again for a later call.
  const open = new Map<string, { readonly place: number; readonly call: QueryEventOf<'tool_call'> }>()
  for (const step of toolCalls) {
    if (step.type === 'tool_call') {
      open.set(step.tool_call_id, { place: lines.length, call: step })
      lines.push(callLine(step, isStreaming ? 'running' : 'unfinished', words))
    }
    if (step.type === 'tool_result') {
      const begun = open.get(step.tool_call_id)
      open.delete(step.tool_call_id)
      const status = step.is_error ? 'error' : 'success'
      if (begun !== undefined) lines[begun.place] = callLine(begun.call, status, words)
      lines.push(resultLine(step, words))
    }
  }
  for (const { tool_call_id, approval_id } of approvals) {
    const begun = open.get(tool_call_id)
    if (begun !== undefined) lines[begun.place] = waitingLine(begun.call, approval_id, words)
  }
  return lines
}

/** The lines at the end of a query: the answer, once it is no longer being written, and what kept it from being whole. */
export function endLinesOf(
  {
    response,
    isStreaming,
    cutShort,
    error,
    statusText,
  }: Pick<QueryState, 'response' | 'isStreaming' | 'cutShort' | 'error' | 'statusText'>,
  words: ChatWords,
): readonly ChatLine[] {
  const lines: ChatLine[] = []
  if (!isStreaming && response !== '') lines.push({ role: 'assistant', content: response })
  if (cutShort !== undefined) lines.push({ role: 'system', content: words.cutShort(cutShort) })
  if (error !== undefined) lines.push(errorLine(error, words))
  const isEmpty = !isStreaming && response === '' && cutShort === undefined
  if (isEmpty && statusText !== undefined) lines.push({ role: 'system', content: words.empty(statusText) })
  return lines
}

export function errorLine({ message }: Error, words: ChatWords): ChatLine {
  return { role: 'system', content: words.error(message), isError: true }
}

function callLine(call: QueryEventOf<'tool_call'>, status: ToolStatus, words: ChatWords): ChatLine {
  return { role: 'system', content: words.toolCall(call), call: { status, args: argsText(call.args) } }
}

function waitingLine(call: QueryEventOf<'tool_call'>, approvalId: string, words: ChatWords): ChatLine {
  const content = words.toolCall(call)
  return { role: 'system', content, call: { status: 'waiting', args: argsText(call.args), approvalId } }
}

function resultLine(result: QueryEventOf<'tool_result'>, words: ChatWords): ChatLine {
  const { is_error: isError, screenshot_base64: screenshot } = result
  const content = words.toolResult(shortened(result.result), result)
  return { role: 'system', content, isError, ...(screenshot === null ? {} : { screenshot }) }
}

/** On one line when they are short. A tool that was given nothing has nothing to show. */
function argsText(args: QueryEventOf<'tool_call'>['args']): string {
  if (Object.keys(args).length === 0) return ''
  const line = JSON.stringify(args)
  return line.length <= maxCharacters ? line : JSON.stringify(args, null, 2)
}

function shortened(text: string): string {
  // By characters, so that no emoji is cut in two; far more than a hundred are not looked at.
  const start = [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('')
  return start.length < text.length ? `${start}...` : start
}

const maxCharacters = 100
