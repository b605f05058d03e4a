import { formatCost, type QueryEventOf, type QueryUsage } from '@throughline/protocol'
import type { QueryState } from '../events/query-state.ts'

/** The status of a tool call. `waiting`: for approval. `unfinished`: the query ended before there was a result. */
export type ToolStatus = 'running' | 'waiting' | 'success' | 'error' | 'unfinished'

/** All texts of `ChatInterface` that do not come from the person or the agent. */
export interface ChatWords {
  /** In the empty input. */
  readonly placeholder: string
  /** On the button that sends. */
  readonly send: string
  /** On the same button, while an answer is being written. */
  readonly busy: string
  /** Below the conversation, while an answer is being written. */
  readonly generating: string
  /** In the same place, while a tool call waits for approval. */
  readonly waiting: string
  /** On the button that approves a tool call. */
  readonly approve: string
  /** On the button that denies a tool call. */
  readonly deny: string
  /** On the button that stops the answer. */
  readonly cancel: string
  /** On the same button, while the answer is being stopped: stops waiting for its end. */
  readonly stopWaiting: string
  /** The line for a tool call. */
  readonly toolCall: (call: QueryEventOf<'tool_call'>) => string
  /** The status of a tool call, beside its line. */
  readonly toolStatus: Readonly<Record<ToolStatus, string>>
  /** The line for a tool's result. `short` is the result's first 100 characters. */
  readonly toolResult: (short: string, result: QueryEventOf<'tool_result'>) => string
  /** The alternative text of a screenshot. */
  readonly screenshot: string
  /** The line for an answer that was stopped or that reached a limit. */
  readonly cutShort: (reason: NonNullable<QueryState['cutShort']>) => string
  /** The line for an error. */
  readonly error: (message: string) => string
  /** The line for an answer without text. `statusText` is the server's sentence about it. */
  readonly empty: (statusText: string) => string
  /** The line with tokens and cost. */
  readonly usage: (usage: QueryUsage) => string
}

/** The texts in Chinese: the default. */
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

/** The texts in English. */
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

/** Leaves out the cost when it is not known. */
function tokensAndCost({ total_tokens, total_cost, cost_known }: QueryUsage): string {
  const cost = cost_known === false ? undefined : formatCost(total_cost)
  return cost === undefined ? `${total_tokens} tokens` : `${total_tokens} tokens · ${cost}`
}
