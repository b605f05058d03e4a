import type { QueryState, QueryStep } from '../query-state.ts'
import type { ChatWords } from './chat-words.ts'

/** One line of the conversation as `ChatInterface` shows it. */
export interface ChatLine {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  readonly isError?: boolean
  /** An image, in base64. */
  readonly screenshot?: string
}

/** The lines that a query adds. The answer is one of them when it is no longer being written. */
export function linesOf(
  {
    toolCalls,
    response,
    isStreaming,
    error,
  }: Pick<QueryState, 'toolCalls' | 'response' | 'isStreaming' | 'error'>,
  words: ChatWords,
): readonly ChatLine[] {
  const lines = toolCalls.flatMap(step => lineOf(step, words))
  if (!isStreaming && response !== '') lines.push({ role: 'assistant', content: response })
  if (error !== undefined) lines.push(errorLine(error, words))
  return lines
}

export function errorLine({ message }: Error, words: ChatWords): ChatLine {
  return { role: 'system', content: words.error(message), isError: true }
}

function lineOf(step: QueryStep, words: ChatWords): ChatLine[] {
  if (step.type === 'tool_call') return [{ role: 'system', content: words.toolCall(step) }]
  if (step.type !== 'tool_result') return []
  const { result, is_error: isError, screenshot_base64: screenshot } = step
  const content = words.toolResult(shortened(result), step)
  return [{ role: 'system', content, isError, ...(screenshot === null ? {} : { screenshot }) }]
}

function shortened(text: string): string {
  // By characters, so that no emoji is cut in two; far more than a hundred are not looked at.
  const start = [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('')
  return start.length < text.length ? `${start}...` : start
}

const maxCharacters = 100
