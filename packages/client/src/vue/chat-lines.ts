import type { QueryEventOf } from '@throughline/protocol'
import type { QueryState } from '../events/query-state.ts'
import type { ChatWords, ToolStatus } from './chat-words.ts'

/** One line of the conversation as `ChatInterface` shows it. */
export interface ChatLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly isError?: boolean
  /** Only for a tool call: its status, its input as JSON, and the id of the approval it waits for. */
  readonly call?: {
    readonly status: ToolStatus
    readonly args: string
    readonly approvalId?: string | undefined
  }
  /** A PNG image as base64. */
  readonly screenshot?: string
}

/** Returns the lines about the tools of a query: each call and each result, in the order in which they came. */
export function toolLinesOf(
  { toolCalls, approvals, isStreaming }: Pick<QueryState, 'toolCalls' | 'approvals' | 'isStreaming'>,
  words: ChatWords,
): readonly ChatLine[] {
  const lines: ChatLine[] = []
  // The calls without a result, by id. A model may use the same id again for a later call.
  const open = new Map<string, { readonly index: number; readonly call: QueryEventOf<'tool_call'> }>()
  for (const event of toolCalls) {
    if (event.type === 'tool_call') {
      open.set(event.tool_call_id, { index: lines.length, call: event })
      lines.push(callLine(event, isStreaming ? 'running' : 'unfinished', words))
    }
    if (event.type === 'tool_result') {
      const begun = open.get(event.tool_call_id)
      open.delete(event.tool_call_id)
      const status = event.is_error ? 'error' : 'success'
      if (begun !== undefined) lines[begun.index] = callLine(begun.call, status, words)
      lines.push(resultLine(event, words))
    }
  }
  for (const { tool_call_id, approval_id } of approvals) {
    const begun = open.get(tool_call_id)
    if (begun !== undefined) lines[begun.index] = waitingLine(begun.call, approval_id, words)
  }
  return lines
}

/** Returns the lines at the end of a query: the answer when it has ended, and why it is not complete. */
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

/** Returns the line for an error. */
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
  const content = words.toolResult(preview(result.result), result)
  return { role: 'system', content, isError, ...(screenshot === null ? {} : { screenshot }) }
}

/** Returns the input of a tool as JSON: on one line when it is short, and empty when there is no input. */
function argsText(args: QueryEventOf<'tool_call'>['args']): string {
  if (Object.keys(args).length === 0) return ''
  const line = JSON.stringify(args)
  return line.length <= maxCharacters ? line : JSON.stringify(args, null, 2)
}

/** Returns the first 100 characters of a result. Counts code points, so that an emoji is one and is not cut in two. */
function preview(text: string): string {
  // A code point has at most two UTF-16 units, so there is no need to split the whole text.
  const start = [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('')
  return start.length < text.length ? `${start}...` : start
}

const maxCharacters = 100
