import { formatCost } from '@throughline/protocol/format-cost'
import type { QueryEventOf, QueryUsage } from '@throughline/protocol/query-event'
import type { QueryState } from '../query-state.ts'

/** How a call stands. `waiting`: for the person; `unfinished`: the query ended before there was a result. */
export type ToolStatus = 'running' | 'waiting' | 'success' | 'error' | 'unfinished'

/** All that `ChatInterface` says of its own accord. */
export interface ChatWords {
  readonly placeholder: string
  readonly send: string
  /** On the button, while an answer is being made. */
  readonly busy: string
  /** Under the conversation, while an answer is being made. */
  readonly generating: string
  /** Instead of that, while a tool waits for the person. */
  readonly waiting: string
  /** Lets a tool do what it waits to do. */
  readonly approve: string
  readonly deny: string
  /** Stops the answer. */
  readonly cancel: string
  /** Leaves without waiting for the end of an answer that is being stopped. */
  readonly stopWaiting: string
  readonly toolCall: (call: QueryEventOf<'tool_call'>) => string
  readonly toolStatus: Readonly<Record<ToolStatus, string>>
  /** The result is given shortened as well. */
  readonly toolResult: (short: string, result: QueryEventOf<'tool_result'>) => string
  readonly screenshot: string
  /** Why an answer that ended in good order is not whole. */
  readonly cutShort: (reason: NonNullable<QueryState['cutShort']>) => string
  readonly error: (message: string) => string
  /** The agent has ended and said nothing; the server's own words about it are given. */
  readonly empty: (statusText: string) => string
  readonly usage: (usage: QueryUsage) => string
}

export const chineseWords: ChatWords = {
  placeholder: '输入消息...',
  send: '发送',
  busy: '生成中...',
  generating: '正在生成...',
  waiting: '等待您的批准...',
  approve: '批准',
  deny: '拒绝',
  cancel: '取消',
  stopWaiting: '不再等待',
  toolCall: ({ tool }) => `调用工具: ${tool}`,
  toolStatus: {
    running: '运行中',
    waiting: '等待批准',
    success: '成功',
    error: '失败',
    unfinished: '未完成',
  },
  toolResult: short => `工具结果: ${short}`,
  screenshot: '截图',
  cutShort: reason => (reason === 'stopped' ? '回答已停止。' : '回答已达到上限，内容不完整。'),
  error: message => `错误: ${message}`,
  empty: statusText => `智能体没有作出回答: ${statusText}`,
  usage: tokensAndCost,
}

export const englishWords: ChatWords = {
  placeholder: 'Write a message...',
  send: 'Send',
  busy: 'Writing...',
  generating: 'The agent is at work...',
  waiting: 'A tool waits for your approval...',
  approve: 'Approve',
  deny: 'Deny',
  cancel: 'Cancel',
  stopWaiting: 'Stop waiting',
  toolCall: ({ tool }) => `Calling tool: ${tool}`,
  toolStatus: {
    running: 'running',
    waiting: 'waits for you',
    success: 'done',
    error: 'failed',
    unfinished: 'not finished',
  },
  toolResult: short => `Tool result: ${short}`,
  screenshot: 'Screenshot',
  cutShort: reason =>
    reason === 'stopped' ? 'The answer was stopped.' : 'The answer reached a limit and is not whole.',
  error: message => `Error: ${message}`,
  empty: statusText => statusText,
  usage: tokensAndCost,
}

/** Says nothing about money when the cost is not known. */
function tokensAndCost({ total_tokens, total_cost }: QueryUsage): string {
  const cost = formatCost(total_cost)
  return cost === undefined ? `${total_tokens} tokens` : `${total_tokens} tokens · ${cost}`
}
