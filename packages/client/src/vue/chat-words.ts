import { formatCost } from '@throughline/protocol/format-cost'
import type { QueryEventOf, QueryUsage } from '@throughline/protocol/query-event'

/** All that `ChatInterface` says of its own accord. */
export interface ChatWords {
  readonly placeholder: string
  readonly send: string
  readonly busy: string
  readonly toolCall: (call: QueryEventOf<'tool_call'>) => string
  /** The result is given shortened as well. */
  readonly toolResult: (short: string, result: QueryEventOf<'tool_result'>) => string
  readonly screenshot: string
  readonly error: (message: string) => string
  readonly usage: (usage: QueryUsage) => string
}

export const chineseWords: ChatWords = {
  placeholder: '输入消息...',
  send: '发送',
  busy: '生成中...',
  toolCall: ({ tool }) => `调用工具: ${tool}`,
  toolResult: short => `工具结果: ${short}`,
  screenshot: '截图',
  error: message => `错误: ${message}`,
  usage: tokensAndCost,
}

export const englishWords: ChatWords = {
  placeholder: 'Write a message...',
  send: 'Send',
  busy: 'Writing...',
  toolCall: ({ tool }) => `Calling tool: ${tool}`,
  toolResult: short => `Tool result: ${short}`,
  screenshot: 'Screenshot',
  error: message => `Error: ${message}`,
  usage: tokensAndCost,
}

/** Says nothing about money when the cost is not known. */
function tokensAndCost({ total_tokens, total_cost }: QueryUsage): string {
  const cost = formatCost(total_cost)
  return cost === undefined ? `${total_tokens} tokens` : `${total_tokens} tokens · ${cost}`
}
